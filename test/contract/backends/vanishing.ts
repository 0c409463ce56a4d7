import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 23. */
export function vanishingContract(under: Under): void {
  it.concurrent('a lock that vanishes while flows wait for it is theirs, never an error', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const waiters = [1, 2].map(() => under().connect().createLock(lockId));
    const done = waiters.map(async (lock) => {
      await lock.lock();
      expect(waiters.filter(({ isHeld }) => isHeld)).toEqual([lock]);
      await lock.unlock();
    });
    await lineOf(under(), lockId, 2);
    await under().deleteItem(lockId);
    await Promise.all(done);
    await expect(holder.unlock()).rejects.toMatchObject({ code: 'lease-lost' });
  });

  it('the finally of a refused flow never frees the lock of the holder', async () => {
    const lockId = newLockId();
    const [here, there] = [under().connect(), under().connect()];
    const holder = here.createLock(lockId);
    await holder.lock();
    for (const locks of [here, there]) {
      const lock = locks.createLock(lockId);
      const careless = async () => {
        try {
          await lock.tryLock();
        } finally {
          await lock.unlock();
        }
      };
      await expect(careless()).rejects.toMatchObject({ code: 'illegal-monitor-state' });
      await expect(locks.withLock(lockId, { waitMs: 0 }, () => 1)).rejects.toMatchObject({ code: 'lock-not-acquired' });
      await expect(lock.acquire({ waitMs: 0 })).rejects.toMatchObject({ code: 'lock-not-acquired' });
    }
    expect(holder.isHeld).toBe(true);
    expect(await under().rawItem(lockId)).toMatchObject({ fence: holder.fencingToken, owner: expect.any(String) });
    await holder.unlock();
  });

  it('two leases of one handle are two owners: releasing one leaves the other', async () => {
    const lock = under().connect().createLock(newLockId());
    const first = await lock.acquire();
    const waits = lock.acquire();
    await first.release();
    const second = await waits;
    await first.release();
    expect(second.isHeld).toBe(true);
    await second.release();
  });
}
