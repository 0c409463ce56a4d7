import { IllegalArgumentError, LeaseLostError, LockFactory } from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { ServiceBackend } from '../../support/service-backend.ts';

let backend: ServiceBackend;
let locks: LockFactory;

beforeEach(() => {
  jest.useFakeTimers();
  backend = new ServiceBackend();
  locks = new LockFactory(backend, { random: () => 0.5, renewal: 'manual', leaseMs: 6_000 });
});

afterEach(() => jest.useRealTimers());

describe('a lease that is renewed by hand', () => {
  it('runs no timer and is over after its length', async () => {
    const lease = await locks.createLock('a').acquire();
    expect(jest.getTimerCount()).toBe(0);
    await jest.advanceTimersByTimeAsync(5_900);
    expect(lease.isHeld).toBe(true);
    await jest.advanceTimersByTimeAsync(100);
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(backend.callsOf('renew')).toHaveLength(0);
  });

  it('lasts as long as it is renewed', async () => {
    const lease = await locks.createLock('a').acquire();
    for (let step = 0; step < 5; step++) {
      await jest.advanceTimersByTimeAsync(5_000);
      await lease.renew();
    }
    expect(lease.isHeld).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
    await lease.release();
  });

  it('lets the next flow of its process in when it is over, although nobody looks at it', async () => {
    await locks.createLock('a').lock();
    const next = locks.createLock('a', { renewal: 'automatic' });
    await inFakeTime(next.lock(), 10_000);
    expect(next.isHeld).toBe(true);
  });

  it('lets the next flow in when it is released, and the one after that when its flow gives up', async () => {
    const first = locks.createLock('a');
    await first.lock();
    const gaveUp = locks.createLock('a').tryLock(500);
    const next = locks.createLock('a').lock();
    expect(await inFakeTime(gaveUp)).toBe(false);
    await first.unlock();
    await inFakeTime(next);
    expect(jest.getTimerCount()).toBe(0);
  });
});

it('renewal is automatic or manual', () => {
  expect(() => locks.createLock('a', { renewal: 'never' as 'manual' })).toThrow(IllegalArgumentError);
  expect(() => locks.createLock('a', { renewal: 'automatic' })).not.toThrow();
});
