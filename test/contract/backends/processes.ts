import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import type { RivalProcess, RivalReport } from './rival-process.ts';
import { leaseOver, lineOf } from './waiting.ts';

const leaseMs = 1_500;
const clockSkewMs = 500;
const claimWindowMs = 3_000;

/** Scenarios 2, 14, 16, 17 and 28, by processes of their own. */
export function processesContract(under: Under): void {
  const startRival = (): Promise<RivalProcess> => {
    const start = under().startRival;
    if (!start) throw new Error('the locks of this backend are not shared between processes');
    return start();
  };

  it.concurrent('processes that read, wait and write files lose nothing, by lock() or by timed tryLock', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
    const files = [0, 500].map((tryMs, at) => ({ tryMs, lockId: newLockId(), file: join(folder, `${at}`) }));
    await Promise.all(files.map(({ file }) => writeFile(file, '0')));
    const rivals = await Promise.all([startRival(), startRival()]);
    const rounds = 5;
    const counted = rivals.flatMap((rival) => files.map((counter) => rival.do({ kind: 'count', ...counter, rounds })));
    for (const { error } of await Promise.all(counted)) expect(error).toBeUndefined();
    const counts = await Promise.all(files.map(({ file }) => readFile(file, 'utf8')));
    expect(counts).toEqual(files.map(() => String(2 * rounds)));
    await Promise.all(rivals.map((rival) => rival.kill()));
    await rm(folder, { recursive: true });
  });

  it.concurrent('a killed holder’s lock goes to the one who waits, soon after its lease', async () => {
    const lockId = newLockId();
    const rival = await startRival();
    const { fencingToken = 0 } = await rival.lock(lockId, leaseMs);
    const waiter = under().connect().createLock(lockId);
    const got = waiter.lock();
    await lineOf(under(), lockId, 1);
    await rival.kill();
    const killedMs = performance.now();
    await got;
    // And a wide margin for a busy machine.
    expect(performance.now() - killedMs).toBeLessThan(leaseMs + clockSkewMs + 5_000);
    expect(waiter.fencingToken).toBeGreaterThan(fencingToken);
    await waiter.unlock();
  });

  it.concurrent('a killed holder’s lock is free to a new client once its lease is over, in one round trip', async () => {
    const lockId = newLockId();
    const rival = await startRival();
    const { fencingToken = 0 } = await rival.lock(lockId, leaseMs);
    await rival.kill();
    await leaseOver(under(), lockId);
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(lockId);
    expect(await lock.tryLock()).toBe(true);
    expect(network.asked).toEqual(['claim']);
    expect(lock.fencingToken).toBeGreaterThan(fencingToken);
    await lock.unlock();
  });

  it.concurrent('processes get a lock in the order in which they came, one that was killed is passed', async () => {
    const lockId = newLockId();
    const rivals = await Promise.all([startRival(), startRival(), startRival()]);
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const got: Promise<RivalReport>[] = [];
    for (const rival of rivals) {
      got.push(rival.lock(lockId, 30_000));
      await lineOf(under(), lockId, got.length);
    }
    const [first, killed, last] = rivals;
    await killed?.kill();
    await holder.unlock();
    const fences = [holder.fencingToken ?? 0, (await got[0])?.fencingToken ?? 0];
    // Nobody but the first has it.
    expect(await under().rawItem(lockId)).toMatchObject({ fence: fences[1] });
    await first?.unlock(lockId);
    const handedOverMs = performance.now();
    fences.push((await got[2])?.fencingToken ?? 0);
    // A claim window at the most, and never the 30 s of a lease.
    expect(performance.now() - handedOverMs).toBeLessThan(claimWindowMs + clockSkewMs + 5_000);
    expect(fences).toEqual([...fences].sort((one, other) => one - other));
    await last?.unlock(lockId);
    await Promise.all([first?.kill(), last?.kill()]);
  });

  it.concurrent('a process that was frozen past its lease knows at its first look, and leaves its successor alone', async () => {
    const lockId = newLockId();
    const rival = await startRival();
    await rival.lock(lockId, leaseMs);
    rival.freeze();
    const successor = under().connect().createLock(lockId);
    await successor.lock();
    const before = await under().rawItem(lockId);
    rival.thaw();
    expect(await rival.look(lockId)).toMatchObject({ isHeld: false, lost: 'expired' });
    expect(await rival.unlock(lockId)).toMatchObject({ error: 'lease-lost' });
    expect(await under().rawItem(lockId)).toEqual(before);
    await successor.unlock();
    await rival.kill();
  });

  it.concurrent.each([
    ['forgot to unlock', false],
    ['disposed its factory', true],
  ])('a process that %s ends by itself', async (_, dispose) => {
    const rival = await startRival();
    const lockId = newLockId();
    await rival.lock(lockId, 30_000);
    await rival.do({ kind: 'end', dispose });
    const startedMs = performance.now();
    expect(await rival.exited()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(8_000);
    expect((await under().rawItem(lockId))?.owner === undefined).toBe(dispose);
  });
}
