import { IllegalArgumentError, InterruptedError } from '../../../sdk/index.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 5. */
export function interruptionContract(under: Under): void {
  it('lockInterruptibly() with an aborted signal rejects before it asks, also on a free lock and on its own', async () => {
    const { locks, network } = await under().connectOver();
    const free = locks.createLock(newLockId());
    await expect(free.lockInterruptibly(AbortSignal.abort())).rejects.toThrow(InterruptedError);
    expect(network.asked).toEqual([]);
    const mine = locks.createLock(newLockId());
    await mine.lock();
    await expect(mine.lockInterruptibly(AbortSignal.abort())).rejects.toThrow(InterruptedError);
    expect(network.asked).toEqual(['claim']);
    expect(mine.isHeld).toBe(true);
    await mine.unlock();
  });

  it('lockInterruptibly() that is aborted while it waits leaves nothing in line, and the holder alone', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const before = await under().rawItem(lockId);
    const locks = under().connect();
    const abort = new AbortController();
    const lock = locks.createLock(lockId);
    const waiting = lock.lockInterruptibly(abort.signal);
    await lineOf(under(), lockId, 1);
    abort.abort();
    await expect(waiting).rejects.toThrow(InterruptedError);
    expect(lock.isHeld).toBe(false);
    const { owner, until, fence, queue, tickets } = (await under().rawItem(lockId)) ?? {};
    expect({ owner, until, fence, queue, tickets }).toEqual({
      owner: before?.owner,
      until: before?.until,
      fence: before?.fence,
      queue: [],
      tickets: {},
    });
    await holder.unlock();
    // Whatever the wait left under way has ended by then.
    await locks.dispose({ timeoutMs: 0 });
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });

  it('lockInterruptibly() that is not aborted holds, and a later abort changes nothing', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const abort = new AbortController();
    const lock = under().connect().createLock(lockId);
    const got = lock.lockInterruptibly(abort.signal);
    await lineOf(under(), lockId, 1);
    await holder.unlock();
    await got;
    abort.abort();
    expect(lock.isHeld).toBe(true);
    await lock.unlock();
  });

  it('lockInterruptibly() refuses what is not a signal', async () => {
    const lock = under().connect().createLock(newLockId());
    await expect(lock.lockInterruptibly(undefined as never)).rejects.toThrow(IllegalArgumentError);
  });
}
