import { until } from '../../support/until.ts';
import type { Under } from './backend-under-test.ts';
import { breakHold } from './break-hold.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 15. */
export function fencingContract(under: Under): void {
  // Time to live deletes an item days after its last grant; a millisecond is what the fence needs.
  async function deleteLater(lockId: string): Promise<void> {
    const { fence = 0 } = (await under().rawItem(lockId)) ?? {};
    await until('the clock has passed the fence', () => Date.now() > fence);
    await under().deleteItem(lockId);
  }

  it.concurrent('the fencing token grows with every grant, however the one before ended', async () => {
    const lockId = newLockId();
    const fences: number[] = [];
    const grantTo = async (leaseMs = 30_000) => {
      const { locks, network } = await under().connectOver();
      const lease = await locks.createLock(lockId).acquire({ leaseMs });
      fences.push(lease.fencingToken);
      return { lease, network };
    };
    const first = await grantTo();
    await first.lease.release();
    // Its network is cut, so that its lease ends.
    const expiring = await grantTo(1_000);
    expiring.network.setRule(() => 'cut-off');
    const holder = await grantTo();
    const waiting = grantTo();
    await lineOf(under(), lockId, 1);
    await holder.lease.release();
    const handedTo = await waiting;
    await breakHold(under(), lockId, handedTo.lease.fencingToken);
    const afterBreak = await grantTo();
    await deleteLater(lockId);
    const afterDeletion = await grantTo();
    await afterDeletion.lease.release();
    await deleteLater(lockId);
    const remade = await grantTo();
    expect(fences).toHaveLength(7);
    expect(fences).toEqual([...new Set(fences)].sort((one, other) => one - other));
    await remade.lease.release();
    await expect(afterBreak.lease.release()).rejects.toMatchObject({ code: 'lease-lost' });
  });

  it('a break without anybody behind it raises the fence, so that the next grant is not the only one to pass', async () => {
    const lock = under().connect().createLock(newLockId());
    await lock.lock();
    const fence = lock.fencingToken ?? 0;
    await breakHold(under(), lock.lockId, fence);
    expect((await under().rawItem(lock.lockId))?.fence).toBeGreaterThan(fence);
    await expect(lock.unlock()).rejects.toMatchObject({ reason: 'broken' });
  });

  it('a renewal leaves the fencing token as it is', async () => {
    const lease = await under().connect().createLock(newLockId()).acquire();
    const { fencingToken } = lease;
    await lease.renew();
    expect(lease.fencingToken).toBe(fencingToken);
    expect(await under().rawItem(lease.lockId)).toMatchObject({ fence: fencingToken });
    await lease.release();
  });
}
