import type { LockItem } from '../../../lambda/service/lock-item.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';

/** Scenario 22. */
export function replaysContract(under: Under): void {
  it('an old acquire, renewal or release that arrives again changes nothing', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const lease = await locks.createLock(lockId).acquire();
    await lease.renew();
    await lease.release();
    expect(network.asked).toEqual(['claim', 'renew', 'release']);
    const replayAll = async () => {
      for (const index of [0, 1, 2, 2, 1, 0]) await network.replay(index);
    };

    const released = await under().rawItem(lockId);
    await replayAll();
    expect(await under().rawItem(lockId)).toEqual(released);

    const other = under().connect().createLock(lockId);
    await other.lock();
    const held = await under().rawItem(lockId);
    await replayAll();
    expect(await under().rawItem(lockId)).toEqual(held);

    await other.unlock();
    const third = under().connect().createLock(lockId);
    await third.lock();
    const heldByThird = await under().rawItem(lockId);
    await replayAll();
    expect(await under().rawItem(lockId)).toEqual(heldByThird);
    await third.unlock();
  });

  it.concurrent('an old acquire that arrives on a free lock after another owner had it is a hold by nobody for one lease', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const first = await locks.createLock(lockId).acquire({ leaseMs: 2_000 });
    const before = (await under().rawItem(lockId)) as LockItem;
    await first.release();
    const other = under().connect().createLock(lockId);
    await other.lock();
    const { fencingToken = 0 } = other;
    await other.unlock();
    await network.replay(0);
    const item = await under().rawItem(lockId);
    expect(item?.fence).toBeGreaterThanOrEqual(fencingToken);
    // A request that was written out before keeps the end that it was written with.
    expect((item?.until ?? 0) - before.fence).toBeLessThan(60_000);
    const next = under().connect().createLock(lockId);
    await next.lock();
    expect(next.fencingToken).toBeGreaterThan(fencingToken);
    await next.unlock();
  });
}
