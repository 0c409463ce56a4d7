import { dynamoDbOperation } from '../../../support/faulty-proxy.ts';
import { hostMs } from '../../../support/host-clock.ts';
import type { Exchange, ProxyAnswer } from '../../../support/http-proxy.ts';

interface Version {
  readonly atMs: number;
  /** In DynamoDB's notation; nothing: there was no item. */
  readonly item: unknown;
}

// An eventually consistent read shows what was there within this time, milliseconds.
const oldestMs = 2_000;

/** What the items of a database were, so that an eventually consistent read can be answered by what was. */
export class ItemVersions {
  readonly #versions = new Map<string, Version[]>();

  /** Learns from an answer that shows an item as it was at that time. */
  learn({ request, body }: Exchange, answer: ProxyAnswer): void {
    const operation = dynamoDbOperation(request);
    if (answer.status !== 200 || !['GetItem', 'UpdateItem'].includes(operation)) return;
    const { Item, Attributes } = JSON.parse(String(answer.body)) as { Item?: unknown; Attributes?: unknown };
    if (operation === 'UpdateItem' && Attributes === undefined) return;
    this.#add(keyOf(body), operation === 'GetItem' ? Item : Attributes);
  }

  /** Learns that a lock's item was deleted. */
  learnDeletion(table: string, lockId: string): void {
    this.#add(JSON.stringify([table, { lockId: { S: lockId } }]), undefined);
  }

  /** An older answer to an eventually consistent read; nothing for other requests, or when none is known. */
  stale({ request, body }: Exchange, random: () => number): ProxyAnswer | undefined {
    if (dynamoDbOperation(request) !== 'GetItem') return undefined;
    if ((JSON.parse(String(body)) as { ConsistentRead?: boolean }).ConsistentRead) return undefined;
    const versions = this.#recent(keyOf(body));
    const version = versions[Math.floor(random() * versions.length)];
    return version && { status: 200, headers, body: JSON.stringify({ Item: version.item }) };
  }

  #add(key: string, item: unknown): void {
    this.#recent(key).push({ atMs: hostMs(), item });
  }

  #recent(key: string): Version[] {
    const versions = this.#versions.get(key) ?? [];
    this.#versions.set(key, versions);
    // The last of those that are too old was still there when the time that counts began.
    while (versions[1] && versions[1].atMs < hostMs() - oldestMs) versions.shift();
    return versions;
  }
}

// Its date is that of the answer: the database is old, its clock is not.
const headers = { 'content-type': 'application/x-amz-json-1.0' };

function keyOf(body: Buffer): string {
  const { TableName, Key } = JSON.parse(String(body)) as { TableName: string; Key: unknown };
  return JSON.stringify([TableName, Key]);
}
