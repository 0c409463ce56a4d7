import { IllegalArgumentError, LeaseLostError } from '../../../sdk/index.ts';
import { until } from '../../support/until.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';

/** Scenarios 15 and 16, of leases that another process goes on with. */
export function travellingLeasesContract(under: Under): void {
  it('a lease that was exported goes on in another process, under the next fencing token, while others wait', async () => {
    const [here, there] = [under().connect(), under().connect()];
    const lease = await here.createLock(newLockId()).acquire();
    const text = lease.export();
    expect(lease.isHeld).toBe(false);
    await lease.release();
    expect(await under().rawItem(lease.lockId)).toHaveProperty('owner');
    const waiting = under().connect().createLock(lease.lockId);
    const waited = waiting.lock();
    await until('somebody waits', async () => (await under().rawItem(lease.lockId))?.queue.length === 1);
    const adopted = await there.adopt(text);
    expect(adopted).toMatchObject({ lockId: lease.lockId, fencingToken: lease.fencingToken + 1, isHeld: true });
    expect(await here.createLock(lease.lockId).tryLock()).toBe(false);
    await adopted.release();
    await waited;
    expect(waiting.fencingToken).toBe(lease.fencingToken + 2);
    await expect(here.adopt(text)).rejects.toThrow(LeaseLostError);
    await waiting.unlock();
  });

  it('of several processes that adopt one text, one has the lock', async () => {
    const lease = await under().connect().createLock(newLockId()).acquire();
    const text = lease.export();
    const adoptions = await Promise.allSettled([1, 2, 3].map(() => under().connect().adopt(text)));
    const [adopted, ...more] = adoptions.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(more).toEqual([]);
    const reasons = adoptions.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(reasons).toEqual([expect.any(LeaseLostError), expect.any(LeaseLostError)]);
    expect(adopted?.isHeld).toBe(true);
    await adopted?.release();
  });

  it.concurrent('an exported lease that nobody adopts in time ends, and then is a rival’s', async () => {
    const lease = await under().connect().createLock(newLockId()).acquire({ leaseMs: 1_000 });
    const text = lease.export();
    const rival = under().connect().createLock(lease.lockId);
    await rival.lock();
    const before = await under().rawItem(lease.lockId);
    await expect(under().connect().adopt(text)).rejects.toThrow(LeaseLostError);
    expect(await under().rawItem(lease.lockId)).toEqual(before);
    await rival.unlock();
  });

  it.concurrent('a lease with renewal by hand is renewed by nothing else', async () => {
    const { locks, network } = await under().connectOver();
    const lease = await locks.createLock(newLockId()).acquire({ leaseMs: 2_500, renewal: 'manual' });
    await lease.renew();
    await until('its time is over', () => !lease.isHeld);
    expect(network.asked).toEqual(['claim', 'renew']);
    expect(lease.signal.reason).toMatchObject({ code: 'lease-lost', reason: 'expired' });
    await expect(lease.renew()).rejects.toThrow(LeaseLostError);
    expect(network.asked).toHaveLength(2);
  });

  it.each(['', 'nonsense', 'holdfast-lease.1.', undefined])('%j is no lease to adopt', async (text) => {
    const { locks, network } = await under().connectOver();
    await expect(locks.adopt(text as string)).rejects.toThrow(IllegalArgumentError);
    expect(network.asked).toEqual([]);
  });
}
