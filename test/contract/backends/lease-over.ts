import { LeaseLostError } from '../../../sdk/index.ts';
import type { Connected, Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { leaseOver } from './waiting.ts';

const leaseMs = 1_000;
// Lease, clock margin and one poll, and a wide margin for a busy machine.
const takenWithinMs = leaseMs + 500 + 5_000;

/** Scenarios 14 and 16, by an owner whose network is cut. */
export function leaseOverContract(under: Under): void {
  // It does not know yet that it is cut off.
  async function cutOff(lockId: string): Promise<Connected & { sinceMs: number }> {
    const connected = await under().connectOver();
    const sinceMs = performance.now();
    const lock = connected.locks.createLock(lockId, { leaseMs });
    await lock.lock();
    connected.network.setRule(() => 'cut-off');
    return { ...connected, sinceMs };
  }

  it.concurrent('the lock of an owner that vanished goes to the one who waits, soon after its lease', async () => {
    const lockId = newLockId();
    const { sinceMs } = await cutOff(lockId);
    const waiter = under().connect().createLock(lockId);
    await waiter.lock();
    // Leases are whole milliseconds.
    expect(performance.now() - sinceMs).toBeGreaterThan(leaseMs - 2);
    expect(performance.now() - sinceMs).toBeLessThan(takenWithinMs);
    await waiter.unlock();
  });

  it.concurrent('a lease that is over is free to the first who asks, in one round trip', async () => {
    const lockId = newLockId();
    await cutOff(lockId);
    await leaseOver(under(), lockId);
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(lockId);
    expect(await lock.tryLock()).toBe(true);
    expect(network.asked).toEqual(['claim']);
    expect((await under().rawItem(lockId))?.fence).toBe(lock.fencingToken);
    await lock.unlock();
  });

  it.concurrent('an old owner that comes back once a rival is in gets LeaseLostError, and the rival is not touched', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(lockId, { leaseMs });
    await lock.lock();
    const lease = await locks.createLock(newLockId()).acquire({ leaseMs });
    network.setRule(() => 'cut-off');
    const rivals = [under().connect().createLock(lockId), under().connect().createLock(lease.lockId)];
    await Promise.all(rivals.map((rival) => rival.lock()));
    network.setRule();
    const before = await Promise.all(rivals.map(({ lockId: id }) => under().rawItem(id)));
    await expect(lock.unlock()).rejects.toThrow(LeaseLostError);
    await expect(lease.renew()).rejects.toThrow(LeaseLostError);
    await expect(lease.release()).rejects.toThrow(LeaseLostError);
    // What is known to be lost needs no request.
    expect(network.asked).not.toContain('release');
    expect(await Promise.all(rivals.map(({ lockId: id }) => under().rawItem(id)))).toEqual(before);
    await Promise.all(rivals.map((rival) => rival.unlock()));
  });

  it('an owner that was superseded without knowing finds out by its unlock or renewal, and the rival is not touched', async () => {
    const [locks, others] = [under().connect(), under().connect()];
    const lock = locks.createLock(newLockId());
    await lock.lock();
    const lease = await locks.createLock(newLockId()).acquire();
    const rivals = [lock.lockId, lease.lockId].map((lockId) => others.createLock(lockId));
    for (const { lockId } of rivals) await under().deleteItem(lockId);
    await Promise.all(rivals.map((rival) => rival.lock()));
    const before = await Promise.all(rivals.map(({ lockId }) => under().rawItem(lockId)));
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'lease-lost', reason: 'superseded' });
    await expect(lease.renew()).rejects.toMatchObject({ code: 'lease-lost', reason: 'superseded' });
    expect(await Promise.all(rivals.map(({ lockId }) => under().rawItem(lockId)))).toEqual(before);
    await Promise.all(rivals.map((rival) => rival.unlock()));
  });
}
