import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { LockItem } from '../../lambda/service/lock-item.ts';
import { createDynamoDbClient } from '../../lambda/store/dynamodb-client.ts';
import { hostMs } from '../support/host-clock.ts';
import { transferredHoldWrites } from './lock-writes.ts';

/** What bare writes took, milliseconds each. */
export interface RawWrites {
  readonly claim: number[];
  readonly transfer: number[];
  readonly release: number[];
}

const rawLockId = 'bench/raw writes';

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
      const writes = transferredHoldWrites(this.#table, rawLockId);
      into.claim.push(await this.#write(writes.claim));
      into.transfer.push(await this.#write(writes.transfer));
      into.release.push(await this.#write(writes.release));
    }
    return into;
  }

  close(): void {
    this.#documents.destroy();
  }

  async #write(input: UpdateCommandInput): Promise<number> {
    const startedMs = hostMs();
    await this.#documents.send(new UpdateCommand(input));
    return hostMs() - startedMs;
  }
}
