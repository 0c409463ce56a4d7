import fc from 'fast-check';
import type { LockItem } from '../../lambda/service/lock-item.ts';
import type { LockStore } from '../../lambda/service/lock-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { alice, bob, carol, dave } from '../support/lock-items.ts';
import { openDynamoDbStore } from './lock-store/dynamodb-store-under-test.ts';
import { openMemoryStore } from './lock-store/memory-store-under-test.ts';

// Few values of each kind, close together, so that guards are met at their edges.
const lockId = fc.constantFrom('a', 'a/1');
const token = fc.constantFrom(alice, bob, carol);
const instant = fc.integer({ min: 1_000, max: 1_006 });
const ttl = fc.constantFrom(5_000, 6_000);
const identity = fc.constantFrom({ principal: 'p' }, { principal: 'q', holder: 'label' });

const operation = fc.oneof(
  fc.record({ lockId, me: token, now: instant, cut: instant, until: instant, identity: fc.option(identity), ttl }).map(
    ({ identity: who, ...claim }) =>
      (store: LockStore) =>
        store.claim({ ...claim, ...(who && { identity: who }) }),
  ),
  fc
    .record({ lockId, me: token, until: instant, identity, ttl })
    .map((renew) => (store: LockStore) => store.renew(renew)),
  fc.record({ lockId, me: token, ttl }).map((release) => (store: LockStore) => store.release(release)),
  fc
    .record({ lockId, victim: token, rev: fc.integer({ min: 1, max: 4 }), fence: instant, ttl })
    .map((hold) => (store: LockStore) => store.breakHold(hold)),
  fc.record({ lockId, consistent: fc.boolean() }).map(
    ({ lockId: id, consistent }) =>
      (store: LockStore) =>
        store.read(id, { consistent }),
  ),
  fc
    .record({
      prefix: fc.constantFrom('', 'a', 'a/', 'b'),
      state: fc.constantFrom('held' as const, 'over' as const, 'free' as const, 'all' as const),
      cut: instant,
    })
    .map((query) => async (store: LockStore) => {
      const { items, next } = await store.list({ ...query, limit: 100 });
      return { items: [...items].sort((x, y) => (x.lockId < y.lockId ? -1 : 1)), next };
    }),
);

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const waiterOrNone = fc.constantFrom<Pick<LockItem, 'queue' | 'tickets'>>(
  { queue: [], tickets: {} },
  { queue: [dave], tickets: { [dave]: 1_003 } },
);
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
    fc.record({ lockId, fence: instant, rev: fc.integer({ min: 1, max: 4 }), ttl }),
    fc.option(hold, { nil: {} }),
    waiterOrNone,
    fc.record({ last: optional(token), broken: optional(token) }).map(withoutAbsent),
  )
  .map((parts) => Object.assign({}, ...parts) as LockItem);

function withoutAbsent(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

describe('the memory store and the DynamoDB store', () => {
  let database: TestDynamoDb;
  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(() => database.stop());

  it('answer the same to the same operations on the same items', async () => {
    const property = async (seeds: LockItem[], operations: ((store: LockStore) => Promise<unknown>)[]) => {
      const memory = await openMemoryStore();
      const table = await openDynamoDbStore(database);
      for (const item of seeds) {
        await memory.seed(item);
        await table.seed(item);
      }
      for (const operate of operations) {
        expect(await operate(table.store)).toEqual(await operate(memory.store));
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(seed, { maxLength: 2 }),
        fc.array(operation, { minLength: 5, maxLength: 25 }),
        property,
      ),
      { numRuns: 60 },
    );
  });
});
