import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { LockService } from '../../lambda/service/lock-service.ts';
import { defaultTiming } from '../../lambda/service/timing.ts';
import { DynamoDbLockStore } from '../../lambda/store/dynamodb-lock-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { alice, bob, T0 } from '../support/lock-items.ts';

describe('the item in the table', () => {
  let database: TestDynamoDb;
  let rawItem: () => Promise<object | undefined>;
  let service: LockService;

  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    const table = await database.createTable();
    const surroundings = { now: () => T0, sleep: async () => {}, random: () => 0 };
    service = new LockService(new DynamoDbLockStore(database.client, table), surroundings);
    rawItem = async () =>
      (await database.client.send(new GetItemCommand({ TableName: table, Key: { lockId: { S: 'a' } } }))).Item;
  });

  const identity = { holder: 'host-a', principal: 'arn:aws:iam::1:user/alice' };
  const sevenDays = 7 * 24 * 60 * 60;

  it('has the protocol’s attributes and types while it is held', async () => {
    await service.try({ lockId: 'a', ownerToken: alice, leaseMs: 30_000, identity });
    expect(await rawItem()).toEqual({
      lockId: { S: 'a' },
      owner: { S: alice },
      until: { N: String(T0 + 30_000) },
      fence: { N: String(T0 + 1) },
      since: { N: String(T0) },
      holder: { S: 'host-a' },
      principal: { S: 'arn:aws:iam::1:user/alice' },
      queue: { L: [] },
      tickets: { M: {} },
      rev: { N: '1' },
      ttl: { N: String(T0 / 1_000 + 30 + sevenDays) },
    });
  });

  it('has them after a release and after a break', async () => {
    const granted = await service.try({ lockId: 'a', ownerToken: alice, leaseMs: 30_000, identity });
    const { fencingToken } = granted as { fencingToken: number };
    await service.break({ lockId: 'a', fencingToken });
    await service.try({ lockId: 'a', ownerToken: bob, leaseMs: 30_000, identity });
    await service.release({ lockId: 'a', ownerToken: bob });
    expect(await rawItem()).toEqual({
      lockId: { S: 'a' },
      fence: { N: String(fencingToken + 2) },
      last: { S: bob },
      broken: { S: alice },
      queue: { L: [] },
      tickets: { M: {} },
      rev: { N: '4' },
      ttl: { N: String(T0 / 1_000 + sevenDays) },
    });
  });

  it('may be deleted no earlier than seven days after the longest lease, and within a year', async () => {
    const leaseMs = 86_400_000;
    await service.try({ lockId: 'a', ownerToken: alice, leaseMs, identity });
    const { ttl } = (await rawItem()) as { ttl: { N: string } };
    const ttlSeconds = Number(ttl.N);
    expect(ttlSeconds).toBe((T0 + leaseMs + defaultTiming.retentionMs) / 1_000);
    expect(ttlSeconds - T0 / 1_000).toBeLessThan(365 * 24 * 60 * 60);
  });
});
