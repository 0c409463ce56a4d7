import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { StartError } from './start-error.ts';

// A table of a local DynamoDB is ready within milliseconds.
const readyWithinMs = 5_000;

/**
 * Creates the table of locks unless it is there, and waits until it can be used.
 *
 * @throws StartError when the database does not answer
 */
export async function ensureTable(endpoint: string, table: string): Promise<void> {
  const client = new DynamoDBClient({
    endpoint,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  });
  try {
    if ((await statusOf(client, table)) === undefined) await create(client, table);
    await untilActive(client, table);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code, message, name } = error as Error & { code?: string };
    throw new StartError(
      `cannot use the DynamoDB at ${endpoint} (${message || code || name}); start it, or leave out --dynamodb to use the built-in one`,
    );
  } finally {
    client.destroy();
  }
}

async function statusOf(client: DynamoDBClient, table: string): Promise<string | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
    return Table?.TableStatus;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function create(client: DynamoDBClient, table: string): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: table,
        AttributeDefinitions: [{ AttributeName: 'lockId', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'lockId', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
  } catch (error) {
    // Another local stack over the same database was faster.
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}

async function untilActive(client: DynamoDBClient, table: string): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while ((await statusOf(client, table)) !== 'ACTIVE') {
    if (performance.now() > deadline) {
      throw new StartError(
        `the table ${table} was begun but never finished; delete it (with --data: the folder), no lock is in it`,
      );
    }
    await sleep(10);
  }
}
