import { IllegalArgumentError, LeaseLostError } from '../../../sdk/index.ts';
import { until } from '../../support/until.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';

/** Scenarios 15 and 16, of leases that another process goes on with. */
export function travellingLeasesContract(under: Under): void {
  it('a lease that was exported goes on in another process, under the same fencing token', async () => {
    const [here, there] = [under().connect(), under().connect()];
    const lease = await here.createLock(newLockId()).acquire();
    const text = lease.export();
    expect(lease.isHeld).toBe(false);
    await lease.release();
    expect(await under().rawItem(lease.lockId)).toHaveProperty('owner');
    const adopted = await there.adopt(text);
    expect(adopted).toMatchObject({ lockId: lease.lockId, fencingToken: lease.fencingToken, isHeld: true });
    expect(await here.createLock(lease.lockId).tryLock()).toBe(false);
    await adopted.release();
    expect(await under().rawItem(lease.lockId)).not.toHaveProperty('owner');
    await expect(here.adopt(text)).rejects.toThrow(LeaseLostError);
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
