import { LockService } from '../../lambda/service/lock-service.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { type CollectedRequest, collectRequests } from '../support/dynamodb-requests.ts';
import { alice, bob, claimOf, dave, freeItem, heldItem, renewOf, T0 } from '../support/lock-items.ts';
import { openDynamoDbStore } from './lock-store/dynamodb-store-under-test.ts';
import type { StoreUnderTest } from './lock-store/store-under-test.ts';

const ttl = 1_800_700_000;
const write = { command: 'UpdateItemCommand', consistent: false, units: 1, error: undefined };
const refusedWrite = { ...write, units: undefined, error: 'ConditionalCheckFailedException' };
const strongRead = { command: 'GetItemCommand', consistent: true, units: 1, error: undefined };
const cheapRead = { command: 'GetItemCommand', consistent: false, units: 0.5, error: undefined };

// The longest ARN of an assumed role: role and session names end at 64 characters each.
const assumedRole = `arn:aws:sts::123456789012:assumed-role/${'r'.repeat(64)}/${'s'.repeat(64)}`;

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

  it('brings the item with a refusal: at no read, or at one strong read where the endpoint leaves it out', async () => {
    await under.seed(heldItem('a'));
    collect();
    await under.store.claim(claimOf('a', bob));
    await under.store.renew(renewOf('a', bob, T0 + 60_000));
    await under.store.release({ lockId: 'a', me: bob, ttl });
    await under.store.breakHold({ lockId: 'a', victim: bob, rev: 7, fence: 100, ttl });
    expect(requests).toEqual([...refused(), ...refused(), ...refused(), ...refused()]);
  });

  it('waits by reads at half a unit, and writes only when the lock is free', async () => {
    await under.seed(heldItem('a'));
    let now = T0;
    const sleep = async (ms: number) => {
      now += ms;
      if (now >= T0 + 500) await under.store.release({ lockId: 'a', me: alice, ttl });
    };
    const service = new LockService(under.store, { now: () => now, sleep, random: () => 0 });
    collect();
    const request = { lockId: 'a', ownerToken: bob, leaseMs: 30_000, identity: { principal: 'p' } };
    const outcome = await service.acquire({ ...request, waitMs: 20_000, confirm: false });
    expect(outcome.kind).toBe('granted');
    const looks = Array.from({ length: 10 }, () => cheapRead);
    const aliceReleases = write;
    expect(requests).toEqual([...refused(), ...looks.slice(1), aliceReleases, cheapRead, write]);
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
