import { startDynamoDb } from '../support/dynamodb.ts';
import type { BackendName, Place } from './place.ts';
import { StackProcess } from './processes.ts';

/** A place with no locks yet. */
export interface NewPlace {
  readonly place: Place;
  /** How many lines its API printed: it does so only when something went wrong. */
  complaints(): number;
  stop(): Promise<void>;
}

/** Makes a place: its database, if it has one, is in this process, its API in another. */
export async function newPlace(backend: BackendName): Promise<NewPlace> {
  if (backend === 'memory') return { place: { kind: 'memory' }, complaints: () => 0, stop: async () => undefined };
  const dynamoDb = await startDynamoDb();
  if (backend === 'embedded') {
    const table = await dynamoDb.createTable();
    const place: Place = { kind: 'embedded', endpoint: dynamoDb.endpoint, table };
    return { place, complaints: () => 0, stop: () => dynamoDb.stop() };
  }
  const stack = await StackProcess.start(dynamoDb.endpoint);
  return {
    place: { kind: 'http', url: stack.url },
    complaints: () => stack.complaints,
    async stop() {
      await stack.kill();
      await dynamoDb.stop();
    },
  };
}
