import { setTimeout as pause } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import type { LockFactory } from '../../sdk/index.ts';
import { fail } from './client-failure.ts';
import { connect, type Place } from './place.ts';

// A client process that locks and unlocks, tries in vain, and reports what that leaves behind. Its arguments, as JSON:
// the place of its locks, and how many rounds of each.

/** What is there when nothing is going on, after garbage collection. */
export interface Remains {
  readonly heapMiB: number;
  /** Timers of any kind, also those that do not keep the process alive, and those that somebody still refers to. */
  readonly timers: number;
  /** What keeps the process alive, by kind. */
  readonly active: Readonly<Record<string, number>>;
}

export interface HeapReport {
  readonly kind: 'done';
  readonly before: Remains;
  readonly afterCycles: Remains;
  readonly afterTries: Remains;
}

const flows = 10;
const triesAtOnce = 100;
// The first are over before they are answered, the others stand in the service's line for a moment.
const tryMs = [1, 40];
// Longer than the run: no renewal comes in between.
const leaseMs = 600_000;
const heldIds = Array.from({ length: 10 }, (_, at) => `bench/heap, held ${at}`);
const timerClass = setTimeout(() => undefined).constructor;

let cycled = 0;

// Each with an id of its own: nothing may be kept for every id that there ever was.
async function cycle(locks: LockFactory, times: number): Promise<void> {
  const end = cycled + times;
  const flow = async () => {
    while (cycled < end) {
      const lock = locks.createLock(`bench/heap ${cycled++}`);
      await lock.lock();
      await lock.unlock();
    }
  };
  await Promise.all(Array.from({ length: flows }, flow));
}

async function tryInVain(locks: LockFactory, times: number): Promise<void> {
  for (let tried = 0; tried < times; tried += triesAtOnce) {
    const timeMs = tryMs[(tried / triesAtOnce) % tryMs.length];
    const attempt = (at: number) => locks.createLock(heldIds[at % heldIds.length] ?? '').tryLock(timeMs);
    const got = await Promise.all(Array.from({ length: triesAtOnce }, (_, at) => attempt(at)));
    if (got.includes(true)) throw new Error('got a lock that another factory holds');
  }
}

async function remains(): Promise<Remains> {
  // Answers to what was given up come in, and what is finalized by one collection is collected by the next.
  await pause(2_000);
  for (let times = 0; times < 5; times++) {
    globalThis.gc?.();
    await pause(100);
  }
  const { heapUsed } = process.memoryUsage();
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  return { heapMiB: heapUsed / 2 ** 20, timers: queryObjects(timerClass, { format: 'count' }), active };
}

async function main(): Promise<void> {
  const [place, rounds]: [Place, number] = [JSON.parse(process.argv[2] ?? ''), Number(process.argv[3])];
  const holder = connect(place);
  for (const lockId of heldIds) await holder.createLock(lockId, { leaseMs }).lock();
  const locks = connect(place);
  // Code that is compiled and buffers that are allocated the first time are no growth.
  await cycle(locks, 1_000);
  await tryInVain(locks, 1_000);
  await remains();
  const before = await remains();
  await cycle(locks, rounds);
  const afterCycles = await remains();
  await tryInVain(locks, rounds);
  const report: HeapReport = { kind: 'done', before, afterCycles, afterTries: await remains() };
  process.send?.(report);
}

// Its parent has ended.
process.once('disconnect', () => process.exit());
main().catch(fail);
