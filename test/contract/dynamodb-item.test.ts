import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { LockService } from '../../lambda/service/lock-service.ts';
import { defaultTiming } from '../../lambda/service/timing.ts';
import { DynamoDbLockStore } from '../../lambda/store/dynamodb-lock-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import {
  alice,
  bob,
  carol,
  claimAsHeadOf,
  claimOf,
  claimPastOf,
  claimWindow,
  handOverOf,
  joinOf,
  nextOf,
  T0,
} from '../support/lock-items.ts';

describe('the item in the table', () => {
  let database: TestDynamoDb;
  let rawItem: () => Promise<object | undefined>;
  let store: DynamoDbLockStore;
  let service: LockService;

  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    const table = await database.createTable();
    const surroundings = { now: () => T0, sleep: async () => {}, random: () => 0 };
    store = new DynamoDbLockStore(database.client, table);
    service = new LockService(store, surroundings);
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

  it('has them while waiters stand in line', async () => {
    await store.claim(claimOf('a', alice, { ttl: 1_800_634_830 }));
    await store.join(joinOf('a', bob));
    await store.join(joinOf('a', carol));
    await store.keepTicket({ lockId: 'a', me: carol, ticketEnd: T0 + 15_000 });
    expect(await rawItem()).toEqual({
      lockId: { S: 'a' },
      owner: { S: alice },
      until: { N: String(T0 + 30_000) },
      fence: { N: String(T0 + 1) },
      since: { N: String(T0) },
      holder: { S: 'host-b' },
      principal: { S: 'arn:aws:iam::1:user/bob' },
      queue: { L: [{ S: bob }, { S: carol }] },
      tickets: { M: { [bob]: { N: String(T0 + 10_000) }, [carol]: { N: String(T0 + 15_000) } } },
      rev: { N: '4' },
      ttl: { N: '1800634830' },
    });
  });

  it.each<[string, () => Promise<unknown>, object]>([
    [
      'handed over',
      () => store.handOver(handOverOf('a', alice, nextOf(bob))),
      { last: { S: alice }, ttl: { N: '1800700000' } },
    ],
    [
      'claimed by the head',
      () => store.claimAsHead(claimAsHeadOf('a', bob, [], { over: T0 + 60_000, ttl: 1_800_700_000 })),
      { ttl: { N: '1800700000' } },
    ],
  ])('has no name on it once it is %s, and the rest of the line', async (_, grant, more) => {
    await store.claim(claimOf('a', alice));
    await store.join(joinOf('a', bob));
    await store.join(joinOf('a', carol));
    await grant();
    expect(await rawItem()).toEqual({
      lockId: { S: 'a' },
      owner: { S: bob },
      until: { N: String(T0 + claimWindow) },
      fence: { N: String(T0 + 2) },
      since: { N: String(T0) },
      queue: { L: [{ S: carol }] },
      tickets: { M: { [carol]: { N: String(T0 + 10_000) } } },
      rev: { N: '4' },
      ...more,
    });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the last waiter was handed the lock', () => store.handOver(handOverOf('a', alice, nextOf(bob)))],
    ['the last waiter left', () => store.leave({ lockId: 'a', me: bob, place: 0 })],
    [
      'somebody claimed past the line',
      () => store.claimPast(claimPastOf('a', carol, { cut: T0 + 60_000, rev: 2, fence: T0 + 1 })),
    ],
    [
      'the holder released past the line',
      () => store.releasePast({ lockId: 'a', me: alice, rev: 2, fence: T0 + 1, ttl: 1_800_700_000 }),
    ],
    [
      'the holder was broken',
      () => store.breakHold({ lockId: 'a', victim: alice, rev: 2, fence: T0 + 1, ttl: 1_800_700_000 }),
    ],
  ])('keeps an empty list and an empty map when %s: others join without making them', async (_, empty) => {
    await store.claim(claimOf('a', alice));
    await store.join(joinOf('a', bob));
    await empty();
    expect(await rawItem()).toMatchObject({ queue: { L: [] }, tickets: { M: {} } });
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
