import fc from 'fast-check';
import type { LockItem } from '../../lambda/service/lock-item.ts';
import type { LockStore, WriteResult } from '../../lambda/service/lock-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { alice, bob, carol, dave, tokenOf } from '../support/lock-items.ts';
import { openDynamoDbStore } from './lock-store/dynamodb-store-under-test.ts';
import { openMemoryStore } from './lock-store/memory-store-under-test.ts';
import type { StoreUnderTest } from './lock-store/store-under-test.ts';

/** Asks a store, given the item that is there now. */
type Operate = (store: LockStore, item: LockItem | undefined) => Promise<unknown>;

/** One random call. */
interface Operation {
  readonly lockId: string;
  readonly operate: Operate;
}

const on = (lockId: string, operate: (store: LockStore, item: LockItem | undefined) => Promise<WriteResult>) => ({
  lockId,
  operate,
});

// Few values of each kind, close together, so that guards are met at their edges.
const lockIds = ['a', 'a/1'];
const anyLockId = fc.constantFrom(...lockIds);
const tokens = [alice, bob, carol, dave, tokenOf('erin'), tokenOf('frank')];
const token = fc.constantFrom(...tokens);
const instant = fc.integer({ min: 1_000, max: 1_006 });
const ttl = fc.constantFrom(5_000, 6_000);
const identity = fc.constantFrom({ principal: 'p' }, { principal: 'q', holder: 'label' });
const claim = fc
  .record({ lockId: anyLockId, me: token, now: instant, cut: instant, until: instant, ttl, who: fc.option(identity) })
  .map(({ who, ...rest }) => ({ ...rest, ...(who && { identity: who }) }));
const release = fc.record({ lockId: anyLockId, me: token, ttl });

// Mostly the owner, the item and the line as they are, so that writes go through; else whatever.
const mostly = fc.integer({ min: 0, max: 4 }).map((chance) => chance > 0);
const pinned = fc
  .record({ exact: mostly, rev: fc.integer({ min: 1, max: 4 }), fence: instant })
  .map(({ exact, ...other }) => (item: LockItem | undefined) => {
    const { rev, fence } = exact && item ? item : other;
    return { rev, fence };
  });
const owner = fc.record({ exact: mostly, other: token }).map(
  ({ exact, other }) =>
    (item: LockItem | undefined) =>
      (exact && item?.owner) || other,
);
const placeInLine = fc
  .record({
    exact: mostly,
    place: fc.nat({ max: 3 }),
    others: fc.shuffledSubarray(tokens, { minLength: 1, maxLength: 4 }),
    skip: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  })
  .map(({ exact, place, others, skip }) => (item: LockItem | undefined) => {
    const line = exact && item && item.queue.length > 0 ? item.queue : others;
    const at = place % line.length;
    const before = line.slice(0, at);
    return { waiter: line[at] ?? alice, place: at, before, skipped: before.filter((_waiter, index) => skip[index]) };
  });
const grantee = fc
  .record({ placeOf: placeInLine, now: instant, until: instant })
  .map(({ placeOf, now, until }) => (item: LockItem | undefined) => {
    const { waiter, before } = placeOf(item);
    return { owner: waiter, now, until, before };
  });

const operations = {
  claim: claim.map((each) => on(each.lockId, (store) => store.claim(each))),
  claimAsHead: fc.record({ claim, placeOf: placeInLine, over: instant }).map(({ claim: each, placeOf, over }) =>
    on(each.lockId, (store, item) => {
      const { waiter, before, skipped } = placeOf(item);
      return store.claimAsHead({ ...each, me: waiter, before, skipped, over });
    }),
  ),
  claimPast: fc
    .record({ claim, pins: pinned })
    .map(({ claim: each, pins }) => on(each.lockId, (store, item) => store.claimPast({ ...each, ...pins(item) }))),
  join: fc
    .record({ lockId: anyLockId, me: token, ticketEnd: instant, lineLimit: fc.constantFrom(1, 2, 64) })
    .map((join) => on(join.lockId, (store) => store.join(join))),
  keepTicket: fc
    .record({ lockId: anyLockId, placeOf: placeInLine, ticketEnd: instant })
    .map(({ lockId, placeOf, ticketEnd }) =>
      on(lockId, (store, item) => store.keepTicket({ lockId, me: placeOf(item).waiter, ticketEnd })),
    ),
  leave: fc.record({ lockId: anyLockId, placeOf: placeInLine }).map(({ lockId, placeOf }) =>
    on(lockId, (store, item) => {
      const { waiter, place } = placeOf(item);
      return store.leave({ lockId, me: waiter, place });
    }),
  ),
  renew: fc
    .record({ lockId: anyLockId, meOf: owner, until: instant, identity, ttl })
    .map(({ meOf, ...renew }) => on(renew.lockId, (store, item) => store.renew({ ...renew, me: meOf(item) }))),
  release: fc
    .record({ release, meOf: owner })
    .map(({ release: each, meOf }) => on(each.lockId, (store, item) => store.release({ ...each, me: meOf(item) }))),
  handOver: fc
    .record({ release, meOf: owner, nextOf: grantee, cut: instant })
    .map(({ release: each, meOf, nextOf, cut }) =>
      on(each.lockId, (store, item) => store.handOver({ ...each, me: meOf(item), next: nextOf(item), cut })),
    ),
  releasePast: fc
    .record({ release, meOf: owner, pins: pinned })
    .map(({ release: each, meOf, pins }) =>
      on(each.lockId, (store, item) => store.releasePast({ ...each, me: meOf(item), ...pins(item) })),
    ),
  transfer: fc
    .record({ release, meOf: owner, heir: token, whileAwaited: fc.boolean(), now: instant, until: instant, identity })
    .map(({ release: each, meOf, ...transfer }) =>
      on(each.lockId, (store, item) => store.transfer({ ...each, ...transfer, me: meOf(item) })),
    ),
  breakHold: fc
    .record({ lockId: anyLockId, victimOf: owner, pins: pinned, ttl, nextOf: fc.option(grantee) })
    .map(({ victimOf, pins, nextOf, ...hold }) =>
      on(hold.lockId, (store, item) =>
        store.breakHold({ ...hold, victim: victimOf(item), ...pins(item), next: nextOf?.(item) }),
      ),
    ),
  remove: fc
    .record({ lockId: anyLockId, pins: pinned, before: instant, ttl })
    .map(({ pins, ...removal }) => on(removal.lockId, (store, item) => store.remove({ ...removal, ...pins(item) }))),
} satisfies Partial<Record<keyof LockStore, fc.Arbitrary<Operation>>>;

const look: fc.Arbitrary<Operation> = fc
  .record({
    prefix: fc.constantFrom('', 'a', 'a/', 'b'),
    state: fc.constantFrom('held' as const, 'over' as const, 'free' as const, 'all' as const),
    cut: instant,
  })
  .map((query) => ({
    lockId: 'a',
    async operate(store) {
      const { items, next } = await store.list({ ...query, limit: 100 });
      return { items: [...items].sort((x, y) => (x.lockId < y.lockId ? -1 : 1)), next };
    },
  }));

const operation = fc.oneof(...Object.values(operations), look);

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });

const line = fc
  .oneof(
    fc.constant([]),
    fc.uniqueArray(fc.tuple(token, instant), { minLength: 1, maxLength: 4, selector: ([waiter]) => waiter }),
  )
  .map((tickets) => ({ queue: tickets.map(([waiter]) => waiter), tickets: Object.fromEntries(tickets) }));
const hold = fc
  .record({
    owner: token,
    until: instant,
    since: instant,
    holder: optional(fc.constant('label')),
    principal: optional(fc.constant('p')),
  })
  .map(withoutAbsent);
const seed = fc
  .tuple(
    fc.record({ lockId: anyLockId, fence: instant, rev: fc.integer({ min: 1, max: 4 }), ttl }),
    fc.option(hold, { nil: {} }),
    line,
    fc.record({ last: optional(token), broken: optional(token) }).map(withoutAbsent),
  )
  .map((parts) => Object.assign({}, ...parts) as LockItem);

function withoutAbsent(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

describe('the memory store and the DynamoDB store', () => {
  let database: TestDynamoDb;
  let table: StoreUnderTest;
  beforeAll(async () => {
    database = await startDynamoDb();
    table = await openDynamoDbStore(database);
  });
  afterAll(() => database.stop());

  async function expectAgreement(seeds: LockItem[], calls: Operation[]): Promise<void> {
    const memory = await openMemoryStore();
    for (const lockId of lockIds) await table.remove(lockId);
    for (const item of seeds) {
      await memory.seed(item);
      await table.seed(item);
    }
    for (const { lockId, operate } of calls) {
      const before = structuredClone(await memory.stored(lockId));
      expect(await operate(table.store, before)).toEqual(await operate(memory.store, before));
      expect(await table.store.read(lockId, { consistent: true })).toEqual(await memory.stored(lockId));
    }
  }

  it('answer the same to the same operations on the same items', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(seed, { maxLength: 2 }),
        fc.array(operation, { minLength: 5, maxLength: 25 }),
        expectAgreement,
      ),
      { numRuns: 60 },
    );
  });

  // One call on one item each, so that every operation meets many items that it is granted on.
  it.each(Object.entries(operations))('agree about %s', async (_, calls: fc.Arbitrary<Operation>) => {
    await fc.assert(
      fc.asyncProperty(seed, fc.array(calls, { minLength: 3, maxLength: 6 }), async (item, some) => {
        const calledOn = some.map(({ operate }) => ({ lockId: item.lockId, operate }));
        await expectAgreement([item], calledOn);
      }),
      { numRuns: 20 },
    );
  });
});
