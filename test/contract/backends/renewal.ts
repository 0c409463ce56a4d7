import { until } from '../../support/until.ts';
import type { Under } from './backend-under-test.ts';
import { type Fault, withoutLooks } from './network.ts';
import { newLockId } from './new-lock-id.ts';

/** Scenario 18. */
export function renewalContract(under: Under): void {
  it.concurrent('twenty leases live on over single failures, throttles and lost replies of their renewals', async () => {
    const { locks, network } = await under().connectOver();
    const faults: Fault[] = ['failed', 'throttled', 'lost-request', 'lost-reply'];
    let renewals = 0;
    // About one for each lease.
    network.setRule((step) => (step === 'renew' && renewals++ < 20 ? faults[renewals % 4] : undefined));
    const leases = await Promise.all(
      Array.from({ length: 20 }, () => locks.createLock(newLockId()).acquire({ leaseMs: 12_000 })),
    );
    const granted = await Promise.all(leases.map(({ lockId }) => under().rawItem(lockId)));
    await until('as many got through as failed', () => renewals >= 40);
    for (const item of granted) {
      const { lockId = '', until: endsAt = 0 } = item ?? {};
      await until('it was renewed', async () => ((await under().rawItem(lockId))?.until ?? 0) > endsAt);
    }
    expect(leases.map(({ signal }) => signal.reason)).toEqual(leases.map(() => undefined));
    expect(leases.map(({ fencingToken }) => fencingToken)).toEqual(granted.map((item) => item?.fence));
    network.setRule();
    await Promise.all(leases.map((lease) => lease.release()));
  });

  it.concurrent('a lock whose renewals fail does not touch another', async () => {
    const { locks, network } = await under().connectOver();
    const others = under().connect();
    const failing = await locks.createLock(newLockId()).acquire({ leaseMs: 3_000 });
    const living = await others.createLock(newLockId()).acquire({ leaseMs: 9_000 });
    network.setRule((step) => (step === 'renew' ? 'failed' : undefined));
    await until('it is lost', () => failing.signal.aborted);
    expect(failing.signal.reason).toMatchObject({ reason: 'unreachable' });
    expect(living.isHeld).toBe(true);
    const same = await locks.createLock(newLockId()).acquire({ leaseMs: 30_000 });
    expect(same.isHeld).toBe(true);
    await Promise.all([living.release(), same.release()]);
  });

  it('a renewal that is under way when the lock is released never makes it held again', async () => {
    const { locks, network } = await under().connectOver();
    const lockId = newLockId();
    const rounds = under().isRemote ? 60 : 1_000;
    for (let round = 0; round < rounds; round++) {
      const lease = await locks.createLock(lockId).acquire();
      const late = network.trap('renew', 'held-reply');
      const renewing = lease.renew().catch((error: unknown) => error);
      // In half of the rounds the renewal has arrived before, in the others nobody knows.
      if (round % 2 === 0) await late.struck;
      const released = lease.release();
      if (round % 4 < 2) await released;
      await late.struck;
      await late.letThrough();
      await Promise.all([released, renewing]);
      expect(lease.isHeld).toBe(false);
      expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
    }
  });

  it.concurrent('nothing is renewed any more once a release was sent', async () => {
    const { locks, network } = await under().connectOver();
    const lease = await locks.createLock(newLockId()).acquire({ leaseMs: 3_000 });
    await until('it renews', () => network.asked.includes('renew'));
    await lease.release();
    // As long as a lease takes to its renewal.
    const other = await under().connect().createLock(newLockId()).acquire({ leaseMs: 3_000 });
    const granted = await under().rawItem(other.lockId);
    await until('another lease is renewed', async () => {
      const item = await under().rawItem(other.lockId);
      return (item?.until ?? 0) > (granted?.until ?? 0);
    });
    expect(withoutLooks(network).at(-1)).toBe('release');
    await other.release();
    expect(await under().rawItem(lease.lockId)).not.toHaveProperty('owner');
  });
}
