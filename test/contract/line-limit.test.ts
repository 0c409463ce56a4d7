import { lockFunction } from '../../lambda/lock-function.ts';
import { environmentNames } from '../../lambda/names.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { gatewayEvent } from '../support/gateway-event.ts';
import { carol, heldItem, T0, withLine } from '../support/lock-items.ts';
import { openDynamoDbStore } from './lock-store/dynamodb-store-under-test.ts';
import type { StoreUnderTest } from './lock-store/store-under-test.ts';

describe('the acquire function of a deployment that lets two stand in line', () => {
  let database: TestDynamoDb;
  let under: StoreUnderTest;
  let table: string;
  beforeAll(async () => {
    database = await startDynamoDb();
    table = await database.createTable();
    under = await openDynamoDbStore({ ...database, createTable: async () => table });
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
  });
  afterAll(() => database.stop());

  // The function's clock is the real one, the hold lasts.
  const held = heldItem('a', { until: T0 * 2 });
  const waitersAfterAcquire = async (tickets: Record<string, number>) => {
    await under.seed(withLine(held, tickets));
    const handler = lockFunction('acquire', {
      [environmentNames.table]: table,
      [environmentNames.authorization]: 'none',
      [environmentNames.lineLimit]: '2',
    });
    const body = { ownerToken: 'x'.repeat(22), waitMs: 0, keepPlace: true };
    const answer = await handler(gatewayEvent('acquire', { body }), { getRemainingTimeInMillis: () => 28_000 });
    const { code } = JSON.parse(answer.body ?? '') as { code: string };
    return { code, waiters: (await under.stored('a'))?.queue.length };
  };

  it('lets the second in', async () => {
    expect(await waitersAfterAcquire({ [carol]: T0 * 2 })).toEqual({ code: 'still-waiting', waiters: 2 });
  });

  it('does not let a third in', async () => {
    const two = { [carol]: T0 * 2, ['d'.repeat(22)]: T0 * 2 };
    expect(await waitersAfterAcquire(two)).toEqual({ code: 'lock-held', waiters: 2 });
  });
});
