import { IllegalArgumentError } from '../../../sdk/index.ts';
import { until } from '../../support/until.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';

const aYearMs = 365 * 24 * 60 * 60 * 1_000;

/** Scenarios 19 and 20. */
export function holdBoundsContract(under: Under): void {
  it.concurrent('maxHoldMs ends a hold that renews for ever, and its unlock frees the lock', async () => {
    const lock = under().connect().createLock(newLockId(), { leaseMs: 30_000, maxHoldMs: 300 });
    await lock.lock();
    const { signal } = lock;
    await until('it is lost', () => signal?.aborted);
    expect(signal?.reason).toMatchObject({ code: 'lease-lost', reason: 'max-hold' });
    await expect(lock.unlock()).rejects.toBe(signal?.reason);
    const rival = under().connect().createLock(lock.lockId);
    await rival.lock();
    await rival.unlock();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, null, '30000', 999, 86_400_001])(
    'a lease of %p ms is an IllegalArgumentError, and asks for nothing',
    async (leaseMs) => {
      const { locks, network } = await under().connectOver();
      const options = { leaseMs: leaseMs as number };
      expect(() => locks.createLock(newLockId(), options)).toThrow(IllegalArgumentError);
      await expect(locks.createLock(newLockId()).acquire(options)).rejects.toThrow(IllegalArgumentError);
      expect(network.asked).toEqual([]);
    },
  );

  it.each([{}, { leaseMs: undefined }])('a lease that is not given ends all the same: %p', async (options) => {
    const lock = under()
      .connect()
      .createLock(newLockId(), options as object);
    await lock.lock();
    const { until: endsAt = 0 } = (await under().rawItem(lock.lockId)) ?? {};
    expect(endsAt).toBeGreaterThan(Date.now());
    expect(endsAt).toBeLessThanOrEqual(Date.now() + 30_000);
    await lock.unlock();
  });

  it.concurrent('a lease of 30 s is not taken early by a client whose own leases last 1 s', async () => {
    const holder = under().connect().createLock(newLockId(), { leaseMs: 30_000 });
    await holder.lock();
    const rival = under().connect({ leaseMs: 1_000 }).createLock(holder.lockId);
    // Longer than its own lease and the clock margin.
    expect(await rival.tryLock(1_700)).toBe(false);
    expect(holder.isHeld).toBe(true);
    expect(await under().rawItem(holder.lockId)).toMatchObject({ fence: holder.fencingToken });
    await holder.unlock();
  });

  it('ttl is a number of seconds after the end of the lease, less than a year away', async () => {
    const lock = under().connect().createLock(newLockId());
    await lock.lock();
    const held = await under().rawItem(lock.lockId);
    await lock.unlock();
    const released = await under().rawItem(lock.lockId);
    for (const ttl of [held?.ttl, released?.ttl]) {
      expect(Number.isInteger(ttl)).toBe(true);
      expect(Number(ttl) * 1_000).toBeGreaterThan(held?.until ?? Number.POSITIVE_INFINITY);
      expect(Number(ttl) * 1_000).toBeLessThan(Date.now() + aYearMs);
    }
  });
}
