import type { Lease, LostReason } from '../../../sdk/index.ts';
import { until } from '../../support/until.ts';
import type { BackendUnderTest, Under } from './backend-under-test.ts';
import { breakHold } from './break-hold.ts';
import type { Network } from './network.ts';
import { newLockId } from './new-lock-id.ts';

interface Hold {
  readonly backend: BackendUnderTest;
  readonly lease: Lease;
  readonly network: Network;
}

const losses: [LostReason, (hold: Hold) => unknown][] = [
  ['unreachable', ({ network }) => network.setRule(() => 'cut-off')],
  ['broken', ({ backend, lease }) => breakHold(backend, lease.lockId, lease.fencingToken)],
  ['absent', ({ backend, lease }) => backend.deleteItem(lease.lockId)],
  [
    'superseded',
    async ({ backend, lease }) => {
      await backend.deleteItem(lease.lockId);
      await backend.connect().createLock(lease.lockId).lock();
    },
  ],
];

/** Scenario 17. */
export function lostSignalContract(under: Under): void {
  it.concurrent.each(losses)('the signal says once that the lease is lost: %s', async (reason, lose) => {
    // Where the service has to say it, the first renewal is told so: a third of the lease, and time to spare for the rest.
    const leaseMs = reason === 'unreachable' ? 2_500 : 6_000;
    const { locks, network } = await under().connectOver();
    const lease = await locks.createLock(newLockId()).acquire({ leaseMs });
    const { signal } = lease;
    const reasons: unknown[] = [];
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    await lose({ backend: under(), lease, network });
    const lostFromMs = performance.now();
    await until('the signal aborts', () => signal.aborted);
    // By the deadline of the lease, whatever the network does; and a margin for a busy machine.
    expect(performance.now() - lostFromMs).toBeLessThan(leaseMs + 3_000);
    expect(signal.reason).toMatchObject({ code: 'lease-lost', reason, lockId: lease.lockId });
    expect(lease.isHeld).toBe(false);
    expect(() => lease.assertHeld()).toThrow(signal.reason);
    // A release of what is lost needs no network.
    network.setRule(() => 'cut-off');
    const startedMs = performance.now();
    await expect(lease.release()).rejects.toBe(signal.reason);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    expect(reasons).toEqual([signal.reason]);
  });

  it.concurrent('after a loss the same handle can lock again, and its old hold is given back once', async () => {
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(newLockId(), { leaseMs: 2_500 });
    await lock.lock();
    const { signal } = lock;
    network.setRule(() => 'cut-off');
    await until('it is lost', () => signal?.aborted);
    network.setRule();
    await lock.lock();
    expect(lock.isHeld).toBe(true);
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'lease-lost', reason: 'unreachable' });
    expect(lock.isHeld).toBe(true);
    await lock.unlock();
    expect(await under().rawItem(lock.lockId)).not.toHaveProperty('owner');
  });
}
