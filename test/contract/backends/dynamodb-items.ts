import { DeleteItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { LockItem } from '../../../lambda/service/lock-item.ts';

/** The items of a table, behind the back of whoever keeps locks in it. */
export class DynamoDbItems {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async read(lockId: string): Promise<LockItem | undefined> {
    const { Item } = await this.#client.send(new GetItemCommand({ ...this.#keyOf(lockId), ConsistentRead: true }));
    return Item && (unmarshall(Item) as LockItem);
  }

  async seed(items: readonly LockItem[]): Promise<void> {
    const documents = DynamoDBDocumentClient.from(this.#client);
    const puts = items.map((Item) => ({ PutRequest: { Item } }));
    const batches = Array.from({ length: Math.ceil(puts.length / 25) }, (_, at) => puts.slice(at * 25, at * 25 + 25));
    await Promise.all(
      batches.map((batch) => documents.send(new BatchWriteCommand({ RequestItems: { [this.#table]: batch } }))),
    );
  }

  async delete(lockId: string): Promise<void> {
    await this.#client.send(new DeleteItemCommand(this.#keyOf(lockId)));
  }

  #keyOf(lockId: string) {
    return { TableName: this.#table, Key: { lockId: { S: lockId } } };
  }
}
