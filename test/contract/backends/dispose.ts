import { InterruptedError } from '../../../sdk/index.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 12. */
export function disposeContract(under: Under): void {
  it('dispose() refuses new locks, ends waits, and lets an unlock in time reach the backend', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const holder = locks.createLock(lockId);
    await holder.lock();
    const there = under().connect().createLock(newLockId());
    await there.lock();
    const waits = [locks.createLock(lockId).lock(), locks.createLock(there.lockId).lock()].map((wait) =>
      expect(wait).rejects.toThrow(InterruptedError),
    );
    await lineOf(under(), there.lockId, 1);
    const disposed = locks.dispose({ timeoutMs: 20_000 });
    await Promise.all(waits);
    const asked = network.asked.length;
    await expect(locks.createLock(newLockId()).lock()).rejects.toThrow(InterruptedError);
    await expect(locks.createLock(newLockId()).tryLock()).rejects.toThrow(InterruptedError);
    expect(network.asked).toHaveLength(asked);
    await holder.unlock();
    expect(await disposed).toEqual([]);
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
    expect(await under().rawItem(there.lockId)).toMatchObject({ queue: [], tickets: {} });
    await there.unlock();
  });

  it.concurrent('dispose() releases what is still held after its time-out, and tells the ids', async () => {
    const locks = under().connect();
    const ids = [newLockId(), newLockId()];
    await Promise.all(ids.map((lockId) => locks.createLock(lockId).lock()));
    const startedMs = performance.now();
    expect((await locks.dispose({ timeoutMs: 300 })).sort()).toEqual(ids.sort());
    expect(performance.now() - startedMs).toBeGreaterThan(299);
    for (const lockId of ids) expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });

  it('dispose() with a time-out of 0 does not wait', async () => {
    const locks = under().connect();
    const lock = locks.createLock(newLockId());
    await lock.lock();
    const startedMs = performance.now();
    expect(await locks.dispose({ timeoutMs: 0 })).toEqual([lock.lockId]);
    expect(performance.now() - startedMs).toBeLessThan(4_000);
    expect(await under().rawItem(lock.lockId)).not.toHaveProperty('owner');
    expect(lock.isHeld).toBe(false);
  });

  it('disposing one factory leaves the locks of another alone', async () => {
    const [locks, others] = [under().connect(), under().connect()];
    const lock = others.createLock(newLockId());
    await lock.lock();
    expect(await locks.dispose()).toEqual([]);
    expect(lock.isHeld).toBe(true);
    await lock.unlock();
  });
}
