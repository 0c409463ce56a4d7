import { InterruptedError } from '../../../sdk/index.ts';
import { until } from '../../support/until.ts';
import type { Under } from './backend-under-test.ts';
import { withoutLooks } from './network.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

const claimWindowMs = 3_000;
const clockSkewMs = 500;

/** Scenario 26. */
export function longWaitsContract(under: Under): void {
  it.concurrent('a waiter keeps its place however often its connection fails', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks, network } = await under().connectOver();
    const first = locks.createLock(lockId);
    const gotFirst = first.lock();
    await lineOf(under(), lockId, 1);
    const [token] = (await under().rawItem(lockId))?.queue ?? [];
    const second = under().connect().createLock(lockId);
    const gotSecond = second.lock();
    await lineOf(under(), lockId, 2);
    let failures = 0;
    // The first of three requests gets through, the others fail.
    network.setRule(() => (failures++ % 3 === 0 ? undefined : 'reset'));
    network.dropConnections();
    await until('it has come back often enough', () => failures > 12);
    expect((await under().rawItem(lockId))?.queue[0]).toBe(token);
    network.setRule();
    await holder.unlock();
    await gotFirst;
    expect([first.isHeld, second.isHeld]).toEqual([true, false]);
    await first.unlock();
    await gotSecond;
    await second.unlock();
  });

  it.concurrent('a waiter that vanished costs those behind it one claim window', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks, network } = await under().connectOver();
    const vanished = locks.createLock(lockId).lock();
    vanished.catch(() => undefined);
    await lineOf(under(), lockId, 1);
    const next = under().connect().createLock(lockId);
    const got = next.lock();
    await lineOf(under(), lockId, 2);
    network.setRule(() => 'cut-off');
    const startedMs = performance.now();
    await holder.unlock();
    await got;
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThan(claimWindowMs);
    expect(tookMs).toBeLessThan(claimWindowMs + clockSkewMs + 5_000);
    await next.unlock();
  });

  it.concurrent('a waiter asks no more often than its backend says, and writes nothing while it waits', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks, network } = await under().connectOver();
    // Not by a limit of its own: the service knows that one as well, and keeps the place once more if it is first at it.
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 2_000);
    await expect(locks.createLock(lockId).lockInterruptibly(abort.signal)).rejects.toThrow(InterruptedError);
    await locks.dispose();
    const writes = withoutLooks(network);
    expect(writes.length).toBeLessThanOrEqual(8);
    // Nothing between standing in line and leaving it.
    expect(writes.join()).toMatch(/^(claim,)+join(,release)+$/);
    expect(network.asked.length - writes.length).toBeLessThanOrEqual(2 * under().looksPerSecond + 2);
    await holder.unlock();
  });
}
