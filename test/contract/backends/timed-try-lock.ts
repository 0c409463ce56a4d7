import { IllegalArgumentError, InterruptedError } from '../../../sdk/index.ts';
import type { Under } from './backend-under-test.ts';
import { withoutLooks } from './network.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf, waiting } from './waiting.ts';

/** Scenario 4. */
export function timedTryLockContract(under: Under): void {
  it.concurrent.each(['another process', 'its own process'])(
    'a timed tryLock on a lock held by %s is false not before its time, soon after it, and leaves the line',
    async (where) => {
      const lockId = newLockId();
      const locks = under().connect();
      const holder = (where === 'its own process' ? locks : under().connect()).createLock(lockId);
      await holder.lock();
      const startedMs = performance.now();
      expect(await locks.createLock(lockId).tryLock(0.3, 'seconds')).toBe(false);
      const tookMs = performance.now() - startedMs;
      // A timer may be a fraction of a millisecond early.
      expect(tookMs).toBeGreaterThan(299);
      expect(tookMs).toBeLessThan(3_000);
      await holder.unlock();
      await lineOf(under(), lockId, 0);
    },
  );

  it.concurrent.each(['another process', 'its own process'])(
    'a timed tryLock on a lock held by %s is true when that lets it go in between',
    async (where) => {
      const lockId = newLockId();
      const locks = under().connect();
      const holder = (where === 'its own process' ? locks : under().connect()).createLock(lockId);
      await holder.lock();
      const lock = locks.createLock(lockId);
      const taken = lock.tryLock(20_000);
      if (where === 'another process') await lineOf(under(), lockId, 1);
      await holder.unlock();
      expect(await taken).toBe(true);
      expect(lock.isHeld).toBe(true);
      await lock.unlock();
    },
  );

  it.each([0, -1, -0.5])('a tryLock of %d ms is one attempt', async (time) => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks, network } = await under().connectOver();
    expect(await locks.createLock(lockId).tryLock(time)).toBe(false);
    expect(withoutLooks(network)).toEqual(['claim']);
    expect(await waiting(under(), lockId)).toBe(0);
    await holder.unlock();
    const lock = locks.createLock(lockId);
    expect(await lock.tryLock(time)).toBe(true);
    await lock.unlock();
  });

  it.each([
    [Number.NaN, 'seconds'],
    [Number.POSITIVE_INFINITY, 'seconds'],
    ['1', 'seconds'],
    [1, 'fortnights'],
    [1, 'toString'],
  ])('a tryLock of %p %s is an IllegalArgumentError, and asks for nothing', async (time, unit) => {
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(newLockId());
    await expect(lock.tryLock(time as number, unit as 'seconds')).rejects.toThrow(IllegalArgumentError);
    expect(network.asked).toEqual([]);
  });

  it('a timed tryLock that is aborted while it waits leaves the line at once', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const abort = new AbortController();
    const lock = under().connect().createLock(lockId);
    const taken = lock.tryLock(20, 'seconds', { signal: abort.signal });
    await lineOf(under(), lockId, 1);
    abort.abort();
    await expect(taken).rejects.toThrow(InterruptedError);
    expect(await waiting(under(), lockId)).toBe(0);
    expect(holder.isHeld).toBe(true);
    await holder.unlock();
  });
}
