import { expectNoSecretIn } from '../../support/secrets.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 27: no owner token is anywhere but where it belongs. */
export function secrecyContract(under: Under): void {
  it.concurrent('no owner token is in a view, a list, an error, a warning, a handle, a lease or a log line', async () => {
    const warned: unknown[] = [];
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation((...warning) => {
      warned.push(warning);
    });
    const lockId = newLockId();
    const { locks, network } = await under().connectOver({ unreachableAfterMs: 500 });
    const lock = locks.createLock(lockId);
    await lock.lock();
    const lease = await locks.createLock(newLockId()).acquire();
    const abort = new AbortController();
    const waiting = under().connect().createLock(lockId).lockInterruptibly(abort.signal);
    const interrupted = errorOf(waiting);
    await lineOf(under(), lockId, 1);
    const items = await Promise.all([lockId, lease.lockId].map((id) => under().rawItem(id)));
    const tokens = items.flatMap((item) => [item?.owner ?? '', ...(item?.queue ?? [])]);
    expect(tokens).toHaveLength(3);

    const shown: unknown[] = [lock, lease, locks, `${lock}`, `${lease}`];
    shown.push(await locks.inspect(lockId));
    for await (const view of locks.list({ prefix: lockId })) shown.push(view);
    for (const fault of ['refused', 'failed', 'throttled', 'lost-request'] as const) {
      network.setRule(() => fault);
      const acts = [
        () => lock.unlock(),
        () => lease.renew(),
        () => locks.inspect(lockId),
        () => locks.break(lockId, { fencingToken: lease.fencingToken }),
        () => locks.createLock(newLockId()).tryLock(),
      ];
      for (const act of fault === 'refused' ? acts : acts.slice(1)) shown.push(await errorOf(act()));
    }
    network.setRule();
    abort.abort();
    shown.push(await interrupted);
    shown.push(await errorOf(locks.createLock(lockId).acquire({ waitMs: 0 })));
    shown.push(await locks.break(lockId, { fencingToken: lock.fencingToken ?? 0 }));
    shown.push(await errorOf(lock.unlock()));
    await lease.release();
    warnings.mockRestore();
    expect(shown.filter((each) => each instanceof Error).length).toBeGreaterThanOrEqual(20);
    expectNoSecretIn([shown, warned, under().log()], ...tokens);
  });
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return error;
  }
}
