import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fencing } from '../../index.ts';

/** How far a job is: an item in a DynamoDB table that refuses whoever writes under an older hold than it has seen. */
export class Progress {
  // Address, Region and credentials come from the environment.
  readonly #client = new DynamoDBClient();
  readonly #documents = DynamoDBDocumentClient.from(this.#client);

  constructor(
    private readonly table: string,
    private readonly job: string,
  ) {}

  /**
   * The number of the last part that is done. It is read in the write that shows the item our fencing token: from then on
   * a former holder is refused, also between our reading and our first part.
   */
  async begin(fencingToken: number): Promise<number> {
    return this.#update([], {}, fencingToken);
  }

  /** @throws ConditionalCheckFailedException when the item has seen a greater fencing token */
  async done(part: number, fencingToken: number): Promise<void> {
    await this.#update(['donePart = :part'], { ':part': part }, fencingToken);
  }

  async #update(set: string[], values: Record<string, number>, fencingToken: number): Promise<number> {
    const fence = fencing(fencingToken);
    const { Attributes } = await this.#documents.send(
      new UpdateCommand({
        TableName: this.table,
        Key: { job: this.job },
        UpdateExpression: `SET ${[...set, fence.set].join(', ')}`,
        ConditionExpression: fence.condition,
        ExpressionAttributeNames: fence.names,
        ExpressionAttributeValues: { ...values, ...fence.values },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Attributes?.['donePart'] ?? 0;
  }

  /** For trying things out: your own table is there already. */
  async createTable(): Promise<void> {
    const create = new CreateTableCommand({
      TableName: this.table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'job', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'job', KeyType: 'HASH' }],
    });
    await this.#client.send(create).catch((error) => {
      if (!(error instanceof ResourceInUseException)) throw error;
    });
    await waitUntilTableExists({ client: this.#client, minDelay: 1, maxWaitTime: 30 }, { TableName: this.table });
  }
}
