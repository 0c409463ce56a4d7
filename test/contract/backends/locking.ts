import { IllegalMonitorStateError } from '../../../sdk/index.ts';
import type { Under } from './backend-under-test.ts';
import { withoutLooks } from './network.ts';
import { newLockId } from './new-lock-id.ts';

/** Scenario 1. */
export function lockingContract(under: Under): void {
  it('lock() holds a free lock, unlock() frees it, in one write each', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(lockId);
    expect(network.asked).toEqual([]);
    await lock.lock();
    expect(lock.isHeld).toBe(true);
    expect(await under().rawItem(lockId)).toMatchObject({ owner: expect.any(String), fence: lock.fencingToken });
    await lock.unlock();
    expect(lock.isHeld).toBe(false);
    expect(lock.fencingToken).toBeUndefined();
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
    expect(network.asked).toEqual(['claim', 'release']);
  });

  it('unlock() of a lock that is not held is an IllegalMonitorStateError, also when nobody holds it', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(lockId);
    await expect(lock.unlock()).rejects.toThrow(IllegalMonitorStateError);
    expect(network.asked).toEqual([]);
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    await expect(lock.unlock()).rejects.toThrow(IllegalMonitorStateError);
    expect(await under().rawItem(lockId)).toMatchObject({ fence: holder.fencingToken, owner: expect.any(String) });
    await holder.unlock();
    await expect(holder.unlock()).rejects.toThrow(IllegalMonitorStateError);
    expect(network.asked).toEqual([]);
  });

  it('owners exclude one another, in one process and in two, and nobody who wants another lock', async () => {
    const [lockId, other] = [newLockId(), newLockId()];
    const [here, there] = [under().connect(), under().connect()];
    const holder = here.createLock(lockId);
    await holder.lock();
    expect(await here.createLock(lockId).tryLock()).toBe(false);
    expect(await there.createLock(lockId).tryLock()).toBe(false);
    const free = there.createLock(other);
    expect(await free.tryLock()).toBe(true);
    await Promise.all([holder.unlock(), free.unlock()]);
    const next = there.createLock(lockId);
    expect(await next.tryLock()).toBe(true);
    await next.unlock();
  });

  it('a lock that nobody wants costs a holder one write to take and one to give back, again and again', async () => {
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(newLockId());
    for (let round = 0; round < 5; round++) {
      await lock.lock();
      await lock.unlock();
    }
    expect(withoutLooks(network)).toEqual(network.asked);
    expect(network.asked).toHaveLength(10);
  });
}
