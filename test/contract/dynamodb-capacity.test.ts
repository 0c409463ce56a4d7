import type { LockItem } from '../../lambda/service/lock-item.ts';
import { LockService } from '../../lambda/service/lock-service.ts';
import type { LockStore, WriteResult } from '../../lambda/service/lock-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { type CollectedRequest, collectRequests } from '../support/dynamodb-requests.ts';
import {
  alice,
  bob,
  carol,
  claimAsHeadOf,
  claimOf,
  claimPastOf,
  dave,
  freeItem,
  handOverOf,
  heldItem,
  joinOf,
  lineOf,
  nextOf,
  releasePastOf,
  renewOf,
  T0,
  transferOf,
  withLine,
} from '../support/lock-items.ts';
import { openDynamoDbStore } from './lock-store/dynamodb-store-under-test.ts';
import type { StoreUnderTest } from './lock-store/store-under-test.ts';

const ttl = 1_800_700_000;
const write = { command: 'UpdateItemCommand', consistent: false, units: 1, error: undefined };
const refusedWrite = { ...write, units: undefined, error: 'ConditionalCheckFailedException' };
const strongRead = { command: 'GetItemCommand', consistent: true, units: 1, error: undefined };
const cheapRead = { command: 'GetItemCommand', consistent: false, units: 0.5, error: undefined };

// The longest ARN of an assumed role: role and session names end at 64 characters each.
const assumedRole = `arn:aws:sts::123456789012:assumed-role/${'r'.repeat(64)}/${'s'.repeat(64)}`;

const overHold = heldItem('a', { until: T0 - 60_000 });
const line = { [bob]: T0 + 5_000, [carol]: T0 + 5_000 };
const looked = { lockId: 'a', victim: alice, rev: 7, fence: 100, ttl };

/** Every write, and an item that it is granted on. */
const writes: readonly [string, LockItem, (store: LockStore) => Promise<WriteResult>][] = [
  ['claim', overHold, (store) => store.claim(claimOf('a', bob))],
  ['claimAsHead', withLine(overHold, line), (store) => store.claimAsHead(claimAsHeadOf('a', bob, []))],
  ['claimPast', withLine(overHold, line), (store) => store.claimPast(claimPastOf('a', dave))],
  ['join', withLine(heldItem('a'), line), (store) => store.join(joinOf('a', dave))],
  [
    'keepTicket',
    withLine(heldItem('a'), line),
    (store) => store.keepTicket({ lockId: 'a', me: bob, ticketEnd: T0 + 6_000 }),
  ],
  ['leave', withLine(heldItem('a'), line), (store) => store.leave({ lockId: 'a', me: bob, place: 0 })],
  ['renew', heldItem('a'), (store) => store.renew(renewOf('a', alice, T0 + 60_000))],
  ['release', heldItem('a'), (store) => store.release({ lockId: 'a', me: alice, ttl })],
  ['handOver', withLine(heldItem('a'), line), (store) => store.handOver(handOverOf('a', alice, nextOf(bob)))],
  ['releasePast', withLine(heldItem('a'), line), (store) => store.releasePast(releasePastOf('a', alice))],
  ['transfer', heldItem('a'), (store) => store.transfer(transferOf('a', alice, bob))],
  ['break', withLine(heldItem('a'), line), (store) => store.breakHold(looked)],
  [
    'break with a next waiter',
    withLine(heldItem('a'), line),
    (store) => store.breakHold({ ...looked, next: nextOf(bob) }),
  ],
];

describe('what DynamoDB is asked for', () => {
  let database: TestDynamoDb;
  let under: StoreUnderTest;
  let requests: CollectedRequest[];
  let stopCollecting: () => void;

  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    under = await openDynamoDbStore(database);
  });
  afterEach(() => stopCollecting?.());

  // Collects from here on, so that what a test prepares does not count.
  function collect(): void {
    const collected = collectRequests(database.client);
    requests = collected.requests;
    stopCollecting = collected.stop;
  }

  // Where the endpoint leaves the item out, one strong read takes its place.
  const refused = () => (database.isDynalite ? [refusedWrite, strongRead] : [refusedWrite]);

  it('takes one write unit to acquire, one to release, and no read, when nobody else wants the lock', async () => {
    let now = T0;
    const service = new LockService(under.store, { now: () => now++, sleep: async () => {}, random: () => 0 });
    const request = { lockId: 'orders-42', ownerToken: alice, leaseMs: 30_000, identity: { principal: assumedRole } };
    collect();
    await service.try(request);
    await service.release(request);
    await service.acquire({ ...request, ownerToken: bob, waitMs: 20_000, confirm: true });
    await service.renew({ ...request, ownerToken: bob });
    await service.release({ ...request, ownerToken: bob });
    expect(requests).toEqual([write, write, write, write, write]);
  });

  async function unitsOfOneUse(lockId: string, holder: string, principal: string): Promise<(number | undefined)[]> {
    collect();
    await under.store.claim(claimOf(lockId, alice, { identity: { holder, principal } }));
    await under.store.release({ lockId, me: alice, ttl });
    stopCollecting();
    return requests.map(({ units }) => units);
  }

  it.each([
    ['an id of 200 bytes, a label of 40', 200, 40],
    ['an id of 200 bytes, the longest label', 200, 256],
    ['an id of 430 bytes, the longest label', 430, 256],
  ])('stays within one unit with %s, and the longest assumed role', async (_, idBytes, labelBytes) => {
    const lockId = 'i'.repeat(idBytes);
    await under.seed(freeItem(lockId, { last: dave, broken: dave, fence: T0, rev: 123_456_789 }));
    expect(await unitsOfOneUse(lockId, 'h'.repeat(labelBytes), assumedRole)).toEqual([1, 1]);
  });

  it('takes two units with the longest id, the longest label and the longest assumed role', async () => {
    const lockId = 'i'.repeat(512);
    await under.seed(freeItem(lockId, { last: dave, fence: T0 }));
    expect(await unitsOfOneUse(lockId, 'h'.repeat(256), assumedRole)).toEqual([2, 2]);
  });

  it.each([
    [886, 1, {}],
    [887, 2, {}],
    [858, 1, { broken: dave }],
    [859, 2, { broken: dave }],
  ])('with id, label and principal of %d bytes together takes %d', async (bytes, units, more) => {
    const lockId = 'i'.repeat(bytes - 512);
    await under.seed(freeItem(lockId, { fence: T0, rev: 1, ...more }));
    expect(await unitsOfOneUse(lockId, 'h'.repeat(256), 'p'.repeat(256))).toEqual([units, units]);
  });

  it.each(writes)('takes one write unit and no read for %s', async (_, item, operate) => {
    await under.seed(item);
    collect();
    expect(await operate(under.store)).toMatchObject({ written: true });
    expect(requests).toEqual([write]);
  });

  it.each(writes)('brings the item when %s is refused, at no read of its own', async (_, _granted, operate) => {
    const item = heldItem('a', { owner: dave, rev: 8 });
    await under.seed(item);
    collect();
    expect(await operate(under.store)).toEqual({ written: false, item });
    expect(requests).toEqual(refused());
  });

  // The whole line counts for whoever writes, so one unit ends with the 14th or 15th waiter of 22 characters.
  describe.each([
    [15, 'a user', {}],
    [
      14,
      'an assumed role',
      {
        holder: 'ip-10-0-12-34.eu-west-1',
        principal: 'arn:aws:sts::123456789012:assumed-role/orders-worker/i-0123456789abcdef0',
      },
    ],
  ])('with a line of up to %d waiters and %s', (most, _, identity) => {
    const hold = heldItem('orders-42', { fence: T0 + 1, rev: 1_234, last: dave, ...identity });
    const [first = ''] = Object.keys(lineOf(1));
    const lastOf = (waiters: number) => Object.keys(lineOf(waiters)).slice(-1);

    it.each([1, 8, 13, most])(
      'hands over, lets in and out, and renews at one unit each (%d in line)',
      async (waiters) => {
        const { store } = under;
        const [last = ''] = lastOf(waiters);
        await under.seed(withLine(hold, lineOf(waiters)));
        collect();
        await store.leave({ lockId: 'orders-42', me: last, place: waiters - 1 });
        await store.join(joinOf('orders-42', last));
        await store.keepTicket({ lockId: 'orders-42', me: last, ticketEnd: T0 + 20_000 });
        await store.renew(renewOf('orders-42', alice, T0 + 60_000, { identity: { principal: hold.principal ?? '' } }));
        await store.handOver(handOverOf('orders-42', alice, nextOf(first)));
        expect(requests).toEqual([write, write, write, write, write]);
      },
    );

    it('takes two units with one more in line', async () => {
      await under.seed(withLine(hold, lineOf(most)));
      collect();
      await under.store.join(joinOf('orders-42', bob));
      await under.store.handOver(handOverOf('orders-42', alice, nextOf(first)));
      expect(requests).toEqual([
        { ...write, units: 2 },
        { ...write, units: 2 },
      ]);
    });
  });

  it('takes four units, in one write, for everything that 64 waiters are subject to', async () => {
    const waiters = Object.keys(lineOf(64));
    const last = waiters.at(-1) ?? '';
    await under.seed(withLine(heldItem('a'), lineOf(64, T0 - 60_000)));
    collect();
    await under.store.handOver(handOverOf('a', alice, nextOf(last, waiters.slice(0, -1))));
    expect(requests).toEqual([{ ...write, units: 4 }]);
    expect(await under.stored('a')).toMatchObject({ owner: last, queue: [] });
  });

  it('waits by reads at half a unit, and writes only to join and to confirm', async () => {
    await under.seed(heldItem('a'));
    let now = T0;
    const sleep = async (ms: number) => {
      now += ms;
      if (now >= T0 + 500) await under.store.handOver(handOverOf('a', alice, nextOf(bob)));
    };
    const service = new LockService(under.store, { now: () => now, sleep, random: () => 0 });
    collect();
    const request = { lockId: 'a', ownerToken: bob, leaseMs: 30_000, identity: { principal: 'p' } };
    const outcome = await service.acquire({ ...request, waitMs: 20_000, confirm: false });
    expect(outcome.kind).toBe('granted');
    const looks = Array.from({ length: 20 }, () => cheapRead);
    const [joins, aliceHandsOver, confirms] = [write, write, write];
    expect(requests).toEqual([...refused(), joins, ...looks.slice(1), aliceHandsOver, cheapRead, confirms]);
  });

  it('reads strongly only when asked to', async () => {
    await under.seed(heldItem('a'));
    collect();
    await under.store.read('a', { consistent: true });
    await under.store.read('a', { consistent: false });
    await under.store.list({ prefix: '', state: 'all', cut: T0, limit: 10 });
    expect(requests).toEqual([strongRead, cheapRead, { ...cheapRead, command: 'ScanCommand' }]);
  });
});
