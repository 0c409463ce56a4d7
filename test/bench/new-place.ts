import { startDynamoDb } from '../support/dynamodb.ts';
import { LockTable } from './lock-table.ts';
import type { BackendName, Place } from './place.ts';
import { StackProcess } from './processes.ts';

/** A place with no locks yet. */
export interface NewPlace {
  readonly place: Place;
  readonly table: LockTable;
  /** How many lines its API printed: it does so only when something went wrong. */
  complaints(): number;
  stop(): Promise<void>;
}

/** Makes a place: its database is in this process, its API in another. */
export async function newPlace(_backend: BackendName): Promise<NewPlace> {
  const dynamoDb = await startDynamoDb();
  const stack = await StackProcess.start(dynamoDb.endpoint);
  const table = new LockTable(dynamoDb.endpoint, stack.table);
  return {
    place: { kind: 'http', url: stack.url },
    table,
    complaints: () => stack.complaints,
    async stop() {
      table.close();
      await stack.kill();
      await dynamoDb.stop();
    },
  };
}
