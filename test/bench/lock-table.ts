import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { LockItem } from '../../lambda/service/lock-item.ts';
import { createDynamoDbClient } from '../../lambda/store/dynamodb-client.ts';
import { claimUpdate } from '../../lambda/store/expressions/claim.ts';
import { releaseUpdate, transferUpdate } from '../../lambda/store/expressions/hold.ts';
import type { Update } from '../../lambda/store/expressions/update.ts';
import { newOwnerToken } from '../../sdk/wire/owner-token.ts';
import { hostMs } from '../support/host-clock.ts';

/** What bare writes took, milliseconds each. */
export interface RawWrites {
  readonly claim: number[];
  readonly transfer: number[];
  readonly release: number[];
}

const rawLockId = 'bench/raw writes';
const leaseMs = 30_000;

/** The table of locks, past the service: looks at it, and writes to it as the service does. */
export class LockTable {
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: string;

  /** Uses the client that the functions use, with its time-outs and retries. */
  constructor(endpoint: string, table: string) {
    const config = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
    this.#documents = DynamoDBDocumentClient.from(createDynamoDbClient(config));
    this.#table = table;
  }

  async read(lockId: string): Promise<LockItem | undefined> {
    const get = new GetCommand({ TableName: this.#table, Key: { lockId }, ConsistentRead: true });
    return (await this.#documents.send(get)).Item as LockItem | undefined;
  }

  /** Resolves once so many stand in line. */
  async untilInLine(lockId: string, waiters: number): Promise<void> {
    while (((await this.read(lockId))?.queue.length ?? 0) < waiters) await pause(20);
  }

  /** Claims, transfers and releases a lock that nobody else wants: the requests that the store would send. */
  async rawWrites(rounds: number, into: RawWrites = { claim: [], transfer: [], release: [] }): Promise<RawWrites> {
    for (let round = 0; round < rounds; round++) {
      const [me, heir] = [newOwnerToken(), newOwnerToken()];
      const now = Date.now();
      const ttl = Math.ceil(now / 1_000) + 604_800;
      const hold = { lockId: rawLockId, now, until: now + leaseMs, ttl };
      const identity = { holder: `bench:${process.pid}`, principal: 'local' };
      into.claim.push(await this.#write(claimUpdate({ ...hold, me, cut: now - 500, identity })));
      into.transfer.push(await this.#write(transferUpdate({ ...hold, me, heir, identity })));
      into.release.push(await this.#write(releaseUpdate({ lockId: rawLockId, me: heir, ttl })));
    }
    return into;
  }

  close(): void {
    this.#documents.destroy();
  }

  async #write({ operation: _operation, ...expressions }: Update): Promise<number> {
    const startedMs = hostMs();
    await this.#documents.send(
      new UpdateCommand({
        TableName: this.#table,
        Key: { lockId: rawLockId },
        ...expressions,
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return hostMs() - startedMs;
  }
}
