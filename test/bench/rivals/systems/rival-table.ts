import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import type { Ground } from '../lock-system.ts';

/** The table of one rival, with the keys that it wants. It is made with the ground, before anybody connects. */
export class RivalTable {
  readonly #suffix: string;
  readonly #keys: readonly string[];

  constructor(suffix: string, partitionKey: string, sortKey?: string) {
    this.#suffix = suffix;
    this.#keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  }

  nameIn({ table }: Pick<Ground, 'table'>): string {
    return `${table}-${this.#suffix}`;
  }

  async create(client: DynamoDBClient, ground: Pick<Ground, 'table'>): Promise<void> {
    const TableName = this.nameIn(ground);
    const create = new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: this.#keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: this.#keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
    });
    await client.send(create);
    await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 1 }, { TableName });
  }
}
