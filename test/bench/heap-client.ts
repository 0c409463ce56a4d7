import { setTimeout as pause } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { type LockFactory, LockServiceError } from '../../sdk/index.ts';
import { fail } from './client-failure.ts';
import { connect, type Place } from './place.ts';

// A client process that locks and unlocks, tries in vain, and reports what that leaves behind. Its arguments, as JSON:
// the place of its locks, and how many rounds of each.

/** What is there when nothing is going on, after garbage collection. */
export interface Remains {
  readonly heapMiB: number;
  /** Timers that are set, also those that do not keep the process alive, but for those of open connections. */
  readonly timers: number;
  /** What keeps the process alive, by kind. */
  readonly active: Readonly<Record<string, number>>;
}

export interface HeapReport {
  readonly kind: 'done';
  readonly before: Remains;
  readonly afterCycles: Remains;
  readonly afterTries: Remains;
  /** How many of the tries were not answered in time, instead of refused. */
  readonly unanswered: number;
  /** When no lock is held any more. */
  readonly atRest: Remains;
}

const flows = 10;
const triesAtOnce = 100;
// The first are over before they are answered, the others stand in the service's line for a moment.
const tryMs = [1, 100];
// Longer than the run: no renewal comes in between.
const leaseMs = 600_000;
const heldIds = Array.from({ length: 10 }, (_, at) => `bench/heap, held ${at}`);
// The database keeps idle connections for 5 s.
const quietMs = 8_000;
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

// How many were not answered in time.
async function tryInVain(locks: LockFactory, times: number): Promise<number> {
  let unanswered = 0;
  const attempt = async (lockId: string, timeMs: number | undefined) => {
    try {
      return await locks.createLock(lockId).tryLock(timeMs);
    } catch (error) {
      if (!(error instanceof LockServiceError)) throw error;
      unanswered++;
      return false;
    }
  };
  for (let tried = 0; tried < times; tried += triesAtOnce) {
    const timeMs = tryMs[(tried / triesAtOnce) % tryMs.length];
    const wanted = Array.from({ length: triesAtOnce }, (_, at) => heldIds[at % heldIds.length] ?? '');
    const got = await Promise.all(wanted.map((lockId) => attempt(lockId, timeMs)));
    if (got.includes(true)) throw new Error('got a lock that another factory holds');
  }
  return unanswered;
}

async function remains(): Promise<Remains> {
  // Answers to what was given up come in; idle connections are closed, and with them go their timers.
  await pause(quietMs);
  // What is finalized by one collection is collected by the next.
  for (let times = 0; times < 5; times++) {
    globalThis.gc?.();
    await pause(100);
  }
  const { heapUsed } = process.memoryUsage();
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  const timers = queryObjects(timerClass, { format: 'summary' }).filter(isSet);
  return { heapMiB: heapUsed / 2 ** 20, timers: timers.length, active };
}

// Reads what Node shows of a timer. One that fired or was cleared is destroyed, though somebody may still refer to it;
// fetch() has one for each connection that it keeps open, for as long as the server allows.
function isSet(timer: string): boolean {
  return timer.includes('_destroyed: false') && !timer.includes('onParserTimeout');
}

async function main(): Promise<void> {
  const [place, rounds]: [Place, number] = [JSON.parse(process.argv[2] ?? ''), Number(process.argv[3])];
  const holder = await connect(place);
  const held = heldIds.map((lockId) => holder.createLock(lockId, { leaseMs }));
  for (const lock of held) await lock.lock();
  const locks = await connect(place);
  // Code that is compiled and buffers that are allocated the first time are no growth.
  await cycle(locks, 1_000);
  await tryInVain(locks, 1_000);
  const before = await remains();
  await cycle(locks, rounds);
  const afterCycles = await remains();
  const unanswered = await tryInVain(locks, rounds);
  const afterTries = await remains();
  for (const lock of held) await lock.unlock();
  const report: HeapReport = { kind: 'done', before, afterCycles, afterTries, unanswered, atRest: await remains() };
  process.send?.(report);
}

// Its parent has ended.
process.once('disconnect', () => process.exit());
main().catch(fail);
