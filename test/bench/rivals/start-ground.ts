import { startDynamoDb } from '../../support/dynamodb.ts';
import { dynamoDbOperation, lockOperation } from '../../support/faulty-proxy.ts';
import { CapacityMeter } from '../capacity-meter.ts';
import { startCountingProxy } from '../counting-proxy.ts';
import { StackProcess } from '../processes.ts';
import { built } from './built.ts';
import type { CountedGround, StartedGround } from './ground.ts';
import { rivalTables } from './systems.ts';

/** Starts database and API, each in a process of its own, with empty tables for everybody. */
export async function startGround(): Promise<StartedGround> {
  const dynamoDb = await startDynamoDb({ ownProcess: true });
  const stack = await StackProcess.start(dynamoDb.endpoint, [], built('stack'));
  const ground = { endpoint: dynamoDb.endpoint, table: stack.table, url: stack.url };
  for (const table of rivalTables) await table.create(dynamoDb.client, ground);
  return {
    ...ground,
    complaints: () => stack.complaints,
    async stop() {
      await stack.kill();
      await dynamoDb.stop();
    },
  };
}

/** The same with proxies before the database and before the API. */
export async function startCountedGround(): Promise<CountedGround> {
  const dynamoDb = await startDynamoDb({ ownProcess: true });
  const database = await startCountingProxy(dynamoDb.endpoint, dynamoDbOperation, new CapacityMeter());
  const stack = await StackProcess.start(database.url, [], built('stack'));
  const api = await startCountingProxy(stack.url, lockOperation);
  const ground = { endpoint: database.url, table: stack.table, url: api.url };
  for (const table of rivalTables) await table.create(dynamoDb.client, ground);
  return {
    ...ground,
    database,
    api,
    uncounted: { endpoint: dynamoDb.endpoint, table: stack.table, url: stack.url },
    complaints: () => stack.complaints,
    async stop() {
      await stack.kill();
      await Promise.all([api.stop(), database.stop()]);
      await dynamoDb.stop();
    },
  };
}
