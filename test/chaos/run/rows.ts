import { setTimeout as pause } from 'node:timers/promises';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { LockItem } from '../../../lambda/service/lock-item.ts';
import { createDynamoDbClient } from '../../../lambda/store/dynamodb-client.ts';
import { hostMs } from '../../support/host-clock.ts';
import { type Cluster, tables } from './cluster.ts';
import { itemOf } from './item-event.ts';
import { shape } from './shape.ts';

const everyMs = 300;

/**
 * Looks at the rows of the locks all the time, writes down what it sees, and deletes those that DynamoDB may delete: free,
 * nobody in line, and at rest for so long that no request of before can be under way.
 */
export class Rows {
  /** How many rows were deleted. */
  deletions = 0;
  readonly #cluster: Cluster;
  readonly #restMs: number;
  readonly #documents: DynamoDBDocumentClient;
  // Since when each free row has not changed.
  readonly #resting = new Map<string, { readonly rev: number; readonly sinceMs: number }>();
  #attempts = 0;
  #seasonTurnedMs = hostMs();
  #mayDelete = true;
  #isStopping = false;
  #running: Promise<void> | undefined;

  constructor(cluster: Cluster, restMs: number) {
    this.#cluster = cluster;
    this.#restMs = restMs;
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const { endpoint } = cluster.networks.resource;
    this.#documents = DynamoDBDocumentClient.from(createDynamoDbClient({ endpoint, region: 'local', credentials }));
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Only looks from here on. */
  deleteNothing(): void {
    this.#mayDelete = false;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** Looks at every row once. */
  async look(): Promise<void> {
    for (const lockId of lockIds) await this.#look(lockId);
  }

  close(): void {
    this.#documents.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      for (const lockId of lockIds) {
        // While the database is away there is nothing to see; and somebody may take the lock just now.
        await this.#look(lockId)
          .then((item) => {
            if (lockId === shape.seasonalLockId) this.#turnSeason(item);
            return this.#deleteAtRest(lockId, item);
          })
          .catch(() => undefined);
      }
      await pause(everyMs);
    }
  }

  async #look(lockId: string): Promise<LockItem | undefined> {
    const sentMs = hostMs();
    const get = new GetCommand({ TableName: tables.locks, Key: { lockId }, ConsistentRead: true });
    const item = (await this.#documents.send(get)).Item as LockItem | undefined;
    this.#cluster.tell({ type: 'item', lockId, sentMs, item: itemOf(item) });
    return item;
  }

  // The season ends when the lock was used for a while, and begins again when its row was deleted, or will not be: it may
  // have been left by a holder that was killed, and nobody else frees it.
  #turnSeason(item: LockItem | undefined): void {
    const lastedMs = hostMs() - this.#seasonTurnedMs;
    const { isSeason } = this.#cluster;
    const isOver = item !== undefined && lastedMs > shape.seasonMs;
    const isDue = item === undefined || lastedMs > 2 * this.#restMs;
    if (isSeason ? !isOver : !isDue) return;
    this.#cluster.isSeason = !isSeason;
    this.#seasonTurnedMs = hostMs();
  }

  async #deleteAtRest(lockId: string, item: LockItem | undefined): Promise<void> {
    if (!item || item.owner !== undefined || item.queue.length > 0) {
      this.#resting.delete(lockId);
      return;
    }
    const { rev } = item;
    const known = this.#resting.get(lockId);
    if (known?.rev !== rev) {
      this.#resting.set(lockId, { rev, sinceMs: hostMs() });
      return;
    }
    if (!this.#mayDelete || hostMs() - known.sinceMs < this.#restMs) return;
    this.#resting.delete(lockId);
    const fault = `deletion${++this.#attempts}`;
    this.#cluster.tell({ type: 'fault', fault, kind: 'deletion', target: lockId, hits: [] });
    try {
      await this.#delete(lockId, rev);
      this.deletions++;
      this.#cluster.networks.versions.learnDeletion(tables.locks, lockId);
    } finally {
      this.#cluster.tell({ type: 'faultEnd', fault });
    }
  }

  async #delete(lockId: string, rev: number): Promise<void> {
    await this.#documents.send(
      new DeleteCommand({
        TableName: tables.locks,
        Key: { lockId },
        ConditionExpression: '#rev = :rev AND attribute_not_exists(#owner)',
        ExpressionAttributeNames: { '#rev': 'rev', '#owner': 'owner' },
        ExpressionAttributeValues: { ':rev': rev },
      }),
    );
  }
}

const lockIds = [...shape.lockIds, shape.seasonalLockId];
