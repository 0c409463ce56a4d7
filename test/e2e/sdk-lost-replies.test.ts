import { LockFactory } from '../../sdk/index.ts';
import { type FaultyProxy, lockOperation, startFaultyProxy } from '../support/faulty-proxy.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

let stack: LocalStackProcess;
let proxy: FaultyProxy;
let locks: LockFactory;

beforeAll(async () => {
  stack = await startLocalStack();
});

beforeEach(async () => {
  proxy = await startFaultyProxy(stack.url, lockOperation);
  locks = LockFactory.connect({ url: proxy.endpoint });
});

afterEach(async () => {
  await locks.dispose({ timeoutMs: 0 });
  await proxy.stop();
});

afterAll(() => stack.stop());

const stateOf = async (lockId: string) => (await (await fetch(`${stack.url}/v1/locks/${lockId}`)).json()).state;

it('an acquire whose granted reply is dropped is repeated and finds itself holder', async () => {
  const trap = proxy.setTrap('try', 'drop-reply');
  const lock = locks.createLock('acquire');
  await lock.lock();
  await trap.struck;
  expect(proxy.counts.get('try')).toBe(2);
  expect(lock.isHeld).toBe(true);
  const view = await (await fetch(`${stack.url}/v1/locks/acquire`)).json();
  expect(view).toMatchObject({ state: 'held', fencingToken: lock.fencingToken });
  expect(await locks.createLock('acquire').tryLock()).toBe(false);
  await lock.unlock();
  expect(await stateOf('acquire')).toBe('free');
});

it('an acquire that never arrived is repeated and gets the lock', async () => {
  proxy.setTrap('try', 'refuse');
  const lock = locks.createLock('refused');
  expect(await lock.tryLock()).toBe(true);
});

it('a wait whose granted reply is dropped ends with the lock all the same', async () => {
  const holder = LockFactory.connect({ url: stack.url }).createLock('wait');
  await holder.lock();
  const trap = proxy.setTrap('acquire', 'drop-reply');
  const lock = locks.createLock('wait');
  const waiting = lock.lock();
  await until(() => (proxy.counts.get('acquire') ?? 0) > 0);
  await holder.unlock();
  await trap.struck;
  await waiting;
  expect(lock.isHeld).toBe(true);
  expect(lock.fencingToken).toBeGreaterThan(0);
});

it('a renewal whose reply is dropped does not lose the lease, and the release succeeds', async () => {
  const lease = await locks.createLock('renew').acquire({ leaseMs: 5_000 });
  const trap = proxy.setTrap('renew', 'drop-reply');
  await expect(lease.renew()).rejects.toMatchObject({ code: 'lock-service', outcomeUnknown: true });
  await trap.struck;
  expect(lease.isHeld).toBe(true);
  await lease.renew();
  await lease.release();
  expect(await stateOf('renew')).toBe('free');
});

it('a release whose reply is dropped is a success', async () => {
  const lock = locks.createLock('release');
  await lock.lock();
  const trap = proxy.setTrap('release', 'drop-reply');
  await lock.unlock();
  await trap.struck;
  expect(proxy.counts.get('release')).toBe(2);
  expect(await stateOf('release')).toBe('free');
});

it('an acquire that arrives long after its caller gave up is given back or runs out, and harms no successor', async () => {
  const trap = proxy.setTrap('try', 'hold');
  const abort = new AbortController();
  const given = locks.createLock('late').lockInterruptibly(abort.signal);
  await until(() => (proxy.counts.get('try') ?? 0) > 0);
  abort.abort();
  await expect(given).rejects.toMatchObject({ code: 'interrupted' });
  const successor = LockFactory.connect({ url: stack.url }).createLock('late');
  await successor.lock();
  expect(await trap.forward()).toBe(409);
  expect(await stateOf('late')).toBe('held');
  await successor.unlock();
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
