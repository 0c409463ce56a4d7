import { setTimeout as pause } from 'node:timers/promises';
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fencing } from '../../../../sdk/index.ts';

/** What a lock's register holds. */
export interface RegisterState {
  /** The highest fencing token that it has seen; 0: none. */
  readonly fencingToken: number;
  readonly value?: string;
  /** How many writes it has accepted. */
  readonly sequence: number;
}

/**
 * What the locks protect: for each a register that remembers the highest fencing token, and a counter that does not.
 *
 * Every request is made once: one that is not answered may have been applied, and is not by a retry of which nobody knows.
 */
export class Resource {
  readonly #client: DynamoDBClient;
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: string;

  constructor({ endpoint, table }: { readonly endpoint: string; readonly table: string }) {
    this.#client = new DynamoDBClient({
      endpoint,
      region: 'local',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
      requestHandler: { connectionTimeout: 5_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    });
    this.#documents = DynamoDBDocumentClient.from(this.#client);
    this.#table = table;
  }

  /**
   * Writes to the register.
   *
   * @returns how many writes it has accepted, this one included, or that it refused this one
   * @throws when it is not known whether it did
   */
  async write(lockId: string, fencingToken: number, value: string): Promise<number | 'refused'> {
    const fence = fencing(fencingToken);
    try {
      const { Attributes } = await this.#documents.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { lockId: `register of ${lockId}` },
          UpdateExpression: `SET #value = :value, ${fence.set} ADD #sequence :one`,
          ConditionExpression: fence.condition,
          ExpressionAttributeNames: { ...fence.names, '#value': 'value', '#sequence': 'sequence' },
          ExpressionAttributeValues: { ...fence.values, ':value': value, ':one': 1 },
          ReturnValues: 'ALL_NEW',
        }),
      );
      return Attributes?.['sequence'] as number;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'refused';
      throw error;
    }
  }

  async register(lockId: string): Promise<RegisterState> {
    const { fence = 0, value, sequence = 0 } = (await this.#get(`register of ${lockId}`)) ?? {};
    return { fencingToken: fence, sequence, ...(value !== undefined && { value }) } as RegisterState;
  }

  /** Adds one, without a look at what others do meanwhile. */
  async add(lockId: string, pauseMs: number): Promise<void> {
    const read = await this.counter(lockId);
    await pause(pauseMs);
    const Item = { lockId: `counter of ${lockId}`, value: read + 1 };
    await this.#documents.send(new PutCommand({ TableName: this.#table, Item }));
  }

  async counter(lockId: string): Promise<number> {
    return ((await this.#get(`counter of ${lockId}`))?.['value'] ?? 0) as number;
  }

  close(): void {
    this.#client.destroy();
  }

  async #get(key: string): Promise<Record<string, unknown> | undefined> {
    const get = new GetCommand({ TableName: this.#table, Key: { lockId: key }, ConsistentRead: true });
    return (await this.#documents.send(get)).Item;
  }
}
