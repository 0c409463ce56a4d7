import type { LockItem } from '../../lambda/service/lock-item.ts';
import { LockService } from '../../lambda/service/lock-service.ts';
import type { LockStore, WriteResult } from '../../lambda/service/lock-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import {
  alice,
  bob,
  carol,
  claimAsHeadOf,
  claimOf,
  claimPastOf,
  dave,
  handOverOf,
  heldItem,
  joinOf,
  nextOf,
  releasePastOf,
  renewOf,
  T0,
  transferOf,
  withLine,
} from '../support/lock-items.ts';
import { openDynamoDbStore } from './lock-store/dynamodb-store-under-test.ts';
import type { StoreUnderTest } from './lock-store/store-under-test.ts';

const conditionFailed = 400;
const identity = { holder: 'host-a', principal: 'arn:aws:iam::1:user/alice' };
const byAlice = { lockId: 'a', ownerToken: alice, leaseMs: 30_000, identity };
const byBob = { ...byAlice, ownerToken: bob };

describe('a service whose database’s replies get lost', () => {
  let database: TestDynamoDb;
  let proxy: FaultyProxy;
  let under: StoreUnderTest;
  let now: number;
  /** Talks through the proxy. */
  let service: LockService;

  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    proxy = await startFaultyProxy(database.endpoint);
    under = await openDynamoDbStore(database, database.newClient(proxy.endpoint));
    now = T0;
    service = new LockService(under.store, { now: () => now, sleep: async () => {}, random: () => 0 });
  });
  afterEach(() => proxy.stop());

  it('finds its own grant when the reply to a claim was lost', async () => {
    const { struck } = proxy.setTrap('UpdateItem', 'drop-reply');
    const outcome = await service.try(byAlice);
    await struck;
    expect(outcome).toMatchObject({ kind: 'granted', ownerToken: alice, fencingToken: T0 + 1, provisional: false });
    expect(await under.stored('a')).toMatchObject({ owner: alice, fence: T0 + 1, until: T0 + 30_000 });
  });

  it('finds its own grant after the claims of three attempts were applied once and all replies lost', async () => {
    for (let attempt = 0; attempt < 3; attempt++) proxy.setTrap('UpdateItem', 'drop-reply');
    await expect(service.try(byAlice)).rejects.toThrow('claim: ');
    expect(await under.stored('a')).toMatchObject({ owner: alice, rev: 1 });
    now += 1_000;
    expect(await service.try(byAlice)).toMatchObject({ kind: 'granted', fencingToken: T0 + 1, until: now + 30_000 });
  });

  it('has released when the reply to a release was lost', async () => {
    await service.try(byAlice);
    const { struck } = proxy.setTrap('UpdateItem', 'drop-reply');
    expect(await service.release(byAlice)).toEqual({ kind: 'released' });
    await struck;
    expect(await under.stored('a')).toMatchObject({ last: alice, rev: 2 });
    expect(await under.stored('a')).not.toHaveProperty('owner');
  });

  it('has renewed, once, when the reply to a renewal was lost', async () => {
    await service.try(byAlice);
    now += 10_000;
    const { struck } = proxy.setTrap('UpdateItem', 'drop-reply');
    expect(await service.renew(byAlice)).toMatchObject({ kind: 'granted', until: now + 30_000 });
    await struck;
    expect(await under.stored('a')).toMatchObject({ owner: alice, until: now + 30_000, rev: 2 });
  });

  it('has broken, once, when the reply to a break was lost', async () => {
    await under.seed(heldItem('a'));
    const { struck } = proxy.setTrap('UpdateItem', 'drop-reply');
    expect(await service.break({ lockId: 'a', fencingToken: 100 })).toMatchObject({
      kind: 'broken',
      holder: 'host-a',
      view: { state: 'free', fencingToken: 101 },
    });
    await struck;
    expect(await under.stored('a')).toMatchObject({ broken: alice, fence: 101, rev: 8 });
  });

  it('gets through when requests are refused before they reach the database', async () => {
    for (let attempt = 0; attempt < 2; attempt++) proxy.setTrap('UpdateItem', 'refuse');
    expect(await service.try(byAlice)).toMatchObject({ kind: 'granted' });
    expect(await under.stored('a')).toMatchObject({ owner: alice, rev: 1 });
    expect(proxy.counts.get('UpdateItem')).toBe(3);
  });

  it('is not harmed by a claim that arrives after its repeat was granted, released and followed', async () => {
    const late = proxy.setTrap('UpdateItem', 'hold');
    expect(await service.try(byAlice)).toMatchObject({ kind: 'granted' });
    await service.release(byAlice);
    expect(await late.forward()).toBe(conditionFailed);
    expect(await under.stored('a')).toMatchObject({ last: alice, rev: 2 });
    await service.try(byBob);
    const bobs = await under.stored('a');
    expect(bobs).toMatchObject({ owner: bob, rev: 3 });
  });

  it('is not harmed by a renewal that arrives after a later one', async () => {
    await service.try(byAlice);
    now += 10_000;
    const late = proxy.setTrap('UpdateItem', 'hold');
    await service.renew(byAlice);
    now += 10_000;
    await service.renew(byAlice);
    const renewed = await under.stored('a');
    expect(await late.forward()).toBe(conditionFailed);
    expect(await under.stored('a')).toEqual(renewed);
    expect(renewed).toMatchObject({ until: T0 + 50_000 });
  });

  it.each(['renew', 'release'] as const)(
    'is not harmed by a %s that arrives when another holds the lock',
    async (operation) => {
      await service.try(byAlice);
      const late = proxy.setTrap('UpdateItem', 'hold');
      now += 10_000;
      await service[operation](byAlice);
      await service.release(byAlice);
      await service.try(byBob);
      const bobs = await under.stored('a');
      expect(bobs).toMatchObject({ owner: bob });
      expect(await late.forward()).toBe(conditionFailed);
      expect(await under.stored('a')).toEqual(bobs);
    },
  );
});

describe('a store whose database’s replies get lost', () => {
  const ttl = 1_800_700_000;
  const line = { [bob]: T0 + 5_000, [carol]: T0 + 5_000 };
  const held = withLine(heldItem('a'), line);
  const over = withLine(heldItem('a', { until: T0 - 60_000 }), line);
  const looked = { lockId: 'a', victim: alice, rev: 7, fence: 100, ttl };

  /** Each write, an item that it is granted on, and what shows afterwards that it happened. */
  const writes: readonly [string, LockItem, (store: LockStore) => Promise<WriteResult>, Partial<LockItem>][] = [
    [
      'claim',
      heldItem('a', { until: T0 - 60_000 }),
      (store) => store.claim(claimOf('a', bob)),
      { owner: bob, fence: 101 },
    ],
    [
      'claimAsHead',
      over,
      (store) => store.claimAsHead(claimAsHeadOf('a', bob, [])),
      { owner: bob, fence: 101, queue: [carol] },
    ],
    [
      'claimPast',
      over,
      (store) => store.claimPast(claimPastOf('a', dave)),
      { owner: dave, fence: 101, queue: [], tickets: {} },
    ],
    ['join', held, (store) => store.join(joinOf('a', dave)), { owner: alice, queue: [bob, carol, dave] }],
    [
      'keepTicket',
      held,
      (store) => store.keepTicket({ lockId: 'a', me: bob, ticketEnd: T0 + 6_000 }),
      { queue: [bob, carol], tickets: { ...line, [bob]: T0 + 6_000 } },
    ],
    ['leave', held, (store) => store.leave({ lockId: 'a', me: bob, place: 0 }), { owner: alice, queue: [carol] }],
    ['renew', held, (store) => store.renew(renewOf('a', alice, T0 + 60_000)), { owner: alice, until: T0 + 60_000 }],
    ['release', heldItem('a'), (store) => store.release({ lockId: 'a', me: alice, ttl }), { last: alice, fence: 100 }],
    [
      'handOver',
      held,
      (store) => store.handOver(handOverOf('a', alice, nextOf(bob))),
      { owner: bob, last: alice, fence: 101, queue: [carol] },
    ],
    [
      'releasePast',
      held,
      (store) => store.releasePast(releasePastOf('a', alice)),
      { last: alice, fence: 100, queue: [], tickets: {} },
    ],
    [
      'transfer',
      heldItem('a'),
      (store) => store.transfer(transferOf('a', alice, bob)),
      { owner: bob, last: alice, fence: 101 },
    ],
    ['break', held, (store) => store.breakHold(looked), { broken: alice, fence: 101, queue: [] }],
    [
      'break with a next waiter',
      held,
      (store) => store.breakHold({ ...looked, next: nextOf(bob) }),
      { owner: bob, broken: alice, fence: 101, queue: [carol] },
    ],
  ];

  let database: TestDynamoDb;
  let proxy: FaultyProxy;
  let under: StoreUnderTest;

  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    proxy = await startFaultyProxy(database.endpoint);
    under = await openDynamoDbStore(database, database.newClient(proxy.endpoint));
  });
  afterEach(() => proxy.stop());

  it.each(writes)('has done %s once, and the refusal of the repeat shows it', async (_, item, operate, done) => {
    await under.seed(item);
    const { struck } = proxy.setTrap('UpdateItem', 'drop-reply');
    const result = await operate(under.store);
    await struck;
    expect(result).toMatchObject({ written: false, repeated: true, item: { ...done, rev: 8 } });
    expect(await under.stored('a')).toEqual(result.item);
  });

  // All at once: each waits until the client gives its held request up.
  it('is not harmed by a duplicate of any write that arrives later', async () => {
    const duplicated = writes.map(async ([name, item, operate, done]) => {
      const between = await startFaultyProxy(database.endpoint);
      const { store, seed, stored } = await openDynamoDbStore(database, database.newClient(between.endpoint));
      await seed(item);
      const late = between.setTrap('UpdateItem', 'hold');
      const result = await operate(store);
      const status = await late.forward();
      await between.stop();
      expect({ name, status, ...result }).toMatchObject({
        name,
        status: conditionFailed,
        written: true,
        item: { ...done, rev: 8 },
      });
      expect({ name, item: await stored('a') }).toEqual({ name, item: result.item });
    });
    await Promise.all(duplicated);
  });
});
