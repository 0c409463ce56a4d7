import { setTimeout as pause } from 'node:timers/promises';
import type { Lease, LockFactory } from '../../sdk/index.ts';
import { fail } from './client-failure.ts';
import { connect, type Place } from './place.ts';

// A client process that holds more and more locks, or waits for more and more, and reports its heap at each count. Its
// arguments, as JSON: the place of its locks, and what it does. It gives nothing back: its place is thrown away with it.

/**
 * - `held`: leases of different locks
 * - `listened`: such leases, each with a listener of its signal
 * - `flows`: waiters for one lock in one factory, which has one place in the line for all of them
 * - `waiters`: waiters for different locks, each with a place in a line
 */
export type Weighed = 'held' | 'listened' | 'flows' | 'waiters';

export interface MemoryTask {
  readonly weighed: Weighed;
  /** Ascending. */
  readonly counts: readonly number[];
}

export interface MemoryReport {
  readonly kind: 'done';
  /** For each count, bytes of heap more than without any. */
  readonly grownBytes: readonly number[];
}

// Longer than the run: no renewal comes in between.
const leaseMs = 600_000;
const warmUps = 200;
const addedAtOnce = 10;
const collections = 8;

// What is kept from the collector, as a program keeps what it holds.
const kept: (Lease | Promise<Lease>)[] = [];

async function main(): Promise<void> {
  const [place, task]: [Place, MemoryTask] = [JSON.parse(process.argv[2] ?? ''), JSON.parse(process.argv[3] ?? '')];
  const { weighed, counts } = task;
  const [holder, locks] = [await connect(place), await connect(place)];
  for (const each of [holder, locks]) {
    for (let round = 0; round < warmUps; round++) await each.withLock(`bench/warm up ${round}`, () => undefined);
  }
  const isWaiting = weighed === 'flows' || weighed === 'waiters';
  const lockIdOf = (at: number) => `bench/memory per lock ${weighed === 'flows' ? 0 : at}`;
  const distinct = weighed === 'flows' ? 1 : (counts.at(-1) ?? 0);
  if (isWaiting) for (let at = 0; at < distinct; at++) await holder.createLock(lockIdOf(at), { leaseMs }).lock();
  const before = await heapBytes();
  const grownBytes: number[] = [];
  let added = 0;
  for (const count of counts) {
    for (; added < count; added += addedAtOnce) {
      const ids = Array.from({ length: Math.min(addedAtOnce, count - added) }, (_, more) => lockIdOf(added + more));
      if (isWaiting) await startWaiting(locks, ids, holder);
      else kept.push(...(await Promise.all(ids.map((lockId) => hold(locks, lockId, weighed === 'listened')))));
    }
    grownBytes.push((await heapBytes()) - before);
  }
  const report: MemoryReport = { kind: 'done', grownBytes };
  process.send?.(report);
}

async function hold(locks: LockFactory, lockId: string, listens: boolean): Promise<Lease> {
  const lease = await locks.createLock(lockId, { leaseMs }).acquire();
  if (listens) lease.signal.addEventListener('abort', () => fail(lease.signal.reason));
  return lease;
}

// Resolves when each lock has somebody in its line.
async function startWaiting(locks: LockFactory, lockIds: readonly string[], looker: LockFactory): Promise<void> {
  for (const lockId of lockIds) {
    const lease = locks.createLock(lockId).acquire();
    lease.catch(fail);
    kept.push(lease);
  }
  for (const lockId of new Set(lockIds)) {
    while ((await looker.inspect(lockId)).waiters === 0) await pause(20);
  }
}

// The least of several looks: what is under way at one of them is not what is held.
async function heapBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < collections; times++) {
    globalThis.gc?.();
    least = Math.min(least, process.memoryUsage().heapUsed);
    await pause(100);
  }
  return least;
}

// Its parent has ended.
process.once('disconnect', () => process.exit());
main().catch(fail);
