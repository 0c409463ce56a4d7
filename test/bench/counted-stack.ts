import { startDynamoDb } from '../support/dynamodb.ts';
import { dynamoDbOperation, lockOperation } from '../support/faulty-proxy.ts';
import { CapacityMeter } from './capacity-meter.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import { LockTable } from './lock-table.ts';
import { StackProcess } from './processes.ts';

/** A local stack with a counting proxy before its API and one before its database. For counts, not for times. */
export interface CountedStack {
  /** Of the API, through the proxy. */
  readonly url: string;
  readonly api: CountingProxy;
  readonly database: CountingProxy;
  /** The table, past the proxy. */
  readonly table: LockTable;
  stop(): Promise<void>;
}

export async function startCountedStack(): Promise<CountedStack> {
  const dynamoDb = await startDynamoDb();
  const database = await startCountingProxy(dynamoDb.endpoint, dynamoDbOperation, new CapacityMeter());
  const stack = await StackProcess.start(database.url);
  const api = await startCountingProxy(stack.url, lockOperation);
  const table = new LockTable(dynamoDb.endpoint, stack.table);
  return {
    url: api.url,
    api,
    database,
    table,
    async stop() {
      table.close();
      await stack.kill();
      await Promise.all([api.stop(), database.stop()]);
      await dynamoDb.stop();
    },
  };
}
