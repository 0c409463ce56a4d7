import { testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { environmentNames } from '../../lambda/names.ts';
import { type Lease, LockFactory } from '../../sdk/index.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

// Two Regions: two stacks of their own processes, over one table. Each test kills the preferred one.

let dynamoDb: TestDynamoDb;
let table: string;
let near: LocalStackProcess;
let far: LocalStackProcess;
let factories: LockFactory[];

const startRegion = () =>
  startLocalStack({
    args: ['--dynamodb', dynamoDb.endpoint, '--auth', 'iam'],
    env: { [environmentNames.table]: table },
  });

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  table = await dynamoDb.createTable();
  far = await startRegion();
});

beforeEach(async () => {
  factories = [];
  near = await startRegion();
});

afterEach(async () => {
  await Promise.all(factories.map((factory) => factory.dispose({ timeoutMs: 0 })));
  await near.kill();
});

afterAll(async () => {
  await far.stop();
  await dynamoDb.stop();
});

function connect(leaseMs = 30_000): LockFactory {
  const urls = { 'eu-central-1': near.url, 'eu-west-1': far.url };
  const factory = LockFactory.connect({ urls, credentials: testKeyPair, leaseMs });
  factories.push(factory);
  return factory;
}

/** What is known in the Region that lives on. */
function connectFar(): LockFactory {
  const factory = LockFactory.connect({ urls: { 'eu-west-1': far.url }, credentials: testKeyPair });
  factories.push(factory);
  return factory;
}

it('a held lease is renewed through the other Region, and released there', async () => {
  const rivals = connectFar();
  const lease = await connect(6_000).createLock('renewed').acquire();
  await near.kill();
  // Longer than the lease: without a renewal it would be over.
  const untilMs = performance.now() + 7_000;
  while (performance.now() < untilMs) {
    expect(await rivals.createLock('renewed').tryLock()).toBe(false);
    await pause(100);
  }
  lease.assertHeld();
  expect(await rivals.inspect('renewed')).toMatchObject({ state: 'held', fencingToken: lease.fencingToken });
  await lease.release();
  expect(await rivals.createLock('renewed').tryLock()).toBe(true);
});

it('whoever waits in line in a Region that dies gets the lock through the other', async () => {
  const holder = await connectFar().createLock('waited-for').acquire();
  const waiting = connect().createLock('waited-for').acquire();
  await until(async () => (await connectFar().inspect('waited-for')).waiters === 1);
  await near.kill();
  await pause(50);
  await holder.release();
  const lease = await waiting;
  lease.assertHeld();
  expect(lease.fencingToken).toBeGreaterThan(holder.fencingToken);
  expect(await connectFar().inspect('waited-for')).toMatchObject({ fencingToken: lease.fencingToken, waiters: 0 });
});

it('a lock is taken and given back when the preferred Region was never there', async () => {
  await near.kill();
  const locks = connect();
  expect(await locks.createLock('absent').tryLock()).toBe(true);
  expect(await locks.inspect('absent')).toMatchObject({ lockId: 'absent', state: 'held' });
  const lock = locks.createLock('absent-too');
  await lock.lock();
  await lock.unlock();
});

it('requests that a frozen Region applies late change nothing', async () => {
  const locks = connect(3_000);
  const held = await locks.createLock('held').acquire();
  process.kill(near.pid, 'SIGSTOP');
  // Sent to the frozen Region first, then repeated with the same owner token.
  const lease = await locks.createLock('late').acquire();
  await lease.release();
  held.assertHeld();
  process.kill(near.pid, 'SIGCONT');
  const there = LockFactory.connect({ url: near.url, credentials: testKeyPair });
  await there.inspect('late');
  await pause(500);
  expect(await there.inspect('late')).toMatchObject({ state: 'free', fencingToken: lease.fencingToken, waiters: 0 });
  expect(await there.inspect('held')).toMatchObject({ state: 'held', fencingToken: held.fencingToken });
  held.assertHeld();
});

it('contenders of several factories never hold together while a Region dies, and fencing tokens grow', async () => {
  const rounds = 5;
  const grants: Pick<Lease, 'fencingToken'>[] = [];
  let inside = 0;
  let most = 0;
  const contend = async (locks: LockFactory) => {
    for (let round = 0; round < rounds; round++) {
      await locks.withLock('contended', async ({ fencingToken, assertHeld }) => {
        most = Math.max(most, ++inside);
        grants.push({ fencingToken });
        await pause(5);
        assertHeld();
        inside--;
      });
    }
  };
  // A factory each, so that they meet in the table and in no local line.
  const contenders = [connect(), connect(), connect(), connectFar()].map(contend);
  await until(async () => grants.length >= 4);
  await near.kill();
  await Promise.all(contenders);
  expect(most).toBe(1);
  const tokens = grants.map(({ fencingToken }) => fencingToken);
  expect(tokens).toHaveLength(4 * rounds);
  expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
});

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(10);
}
