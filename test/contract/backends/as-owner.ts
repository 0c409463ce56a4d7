import { IllegalMonitorStateError, LeaseLostError } from '../../../sdk/index.ts';
import { until } from '../../support/until.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 8. */
export function asOwnerContract(under: Under): void {
  it('an owner takes its lock again by any of its handles: one grant, and a rival enters after the last unlock', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const me = locks.asOwner('me');
    const [one, other] = [me.createLock(lockId), me.createLock(lockId)];
    await one.lock();
    const { fencingToken } = one;
    await other.lock();
    await one.lockInterruptibly(new AbortController().signal);
    expect(await other.tryLock()).toBe(true);
    expect(await one.tryLock(10)).toBe(true);
    expect(network.asked).toEqual(['claim']);
    expect([one.isHeld, other.isHeld]).toEqual([true, true]);
    expect([one.fencingToken, other.fencingToken]).toEqual([fencingToken, fencingToken]);
    expect(await under().rawItem(lockId)).toMatchObject({ holder: 'me', fence: fencingToken });

    const rival = under().connect().createLock(lockId);
    const got = rival.lock();
    await lineOf(under(), lockId, 1);
    for (const lock of [other, one, one, other]) {
      await lock.unlock();
      expect(await under().rawItem(lockId)).toMatchObject({ fence: fencingToken });
      expect([one.isHeld, rival.isHeld]).toEqual([true, false]);
    }
    await one.unlock();
    await got;
    expect([one.isHeld, other.isHeld, rival.isHeld]).toEqual([false, false, true]);
    expect(rival.fencingToken).toBeGreaterThan(fencingToken ?? Number.POSITIVE_INFINITY);
    await expect(other.unlock()).rejects.toThrow(IllegalMonitorStateError);
    expect(rival.isHeld).toBe(true);
    await rival.unlock();
  });

  it('an aborted signal rejects before it asks, although the lock is the owner’s', async () => {
    const { locks, network } = await under().connectOver();
    const lock = locks.asOwner().createLock(newLockId());
    await lock.lock();
    await expect(lock.lockInterruptibly(AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
    expect(network.asked).toEqual(['claim']);
    await lock.unlock();
    expect(await under().rawItem(lock.lockId)).not.toHaveProperty('owner');
  });

  it('two tryLock() of an owner are two holds', async () => {
    const lock = under().connect().asOwner().createLock(newLockId());
    expect([await lock.tryLock(), await lock.tryLock()]).toEqual([true, true]);
    await lock.unlock();
    expect(await under().connect().createLock(lock.lockId).tryLock()).toBe(false);
    await lock.unlock();
    expect(await under().rawItem(lock.lockId)).not.toHaveProperty('owner');
  });

  it('owners of one process exclude one another, and handles and withLock beside them', async () => {
    const locks = under().connect();
    const lock = locks.asOwner().createLock(newLockId());
    await lock.lock();
    expect(await locks.asOwner().createLock(lock.lockId).tryLock()).toBe(false);
    expect(await locks.createLock(lock.lockId).tryLock()).toBe(false);
    const inScope = locks.withLock(lock.lockId, { waitMs: 0 }, () => 'in');
    await expect(inScope).rejects.toMatchObject({ code: 'lock-not-acquired' });
    await lock.unlock();
  });

  it.concurrent('an owner whose lease was lost has lost every level, and then may lock anew', async () => {
    const { locks, network } = await under().connectOver();
    const lock = locks.asOwner().createLock(newLockId(), { leaseMs: 2_500 });
    await lock.lock();
    await lock.lock();
    network.setRule(() => 'cut-off');
    await until('it is lost', () => lock.signal?.aborted);
    network.setRule();
    await expect(lock.lock()).rejects.toThrow(LeaseLostError);
    await expect(lock.tryLock()).rejects.toThrow(LeaseLostError);
    await expect(lock.unlock()).rejects.toThrow(LeaseLostError);
    await expect(lock.unlock()).rejects.toThrow(LeaseLostError);
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'illegal-monitor-state' });
    await lock.lock();
    expect(lock.isHeld).toBe(true);
    await lock.unlock();
  });
}
