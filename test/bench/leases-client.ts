import { setTimeout as pause } from 'node:timers/promises';
import type { Lease } from '../../sdk/index.ts';
import { hostMs } from '../support/host-clock.ts';
import { fail } from './client-failure.ts';
import { connect, type Place } from './place.ts';

// A client process that holds many leases at once, looks at them all the time, and releases them by ending its factory.
// Its arguments, as JSON: the place of its locks, and what it holds.

export interface LeasesTask {
  readonly lockIds: readonly string[];
  readonly leaseMs: number;
  /** From when it has the last of them. */
  readonly holdMs: number;
  readonly startsPerSecond: number;
}

export interface LeasesReport {
  readonly kind: 'done';
  /** From the first request until it had all of them. */
  readonly startedInMs: number;
  /** For each lease, how often its deadline was seen to have moved. */
  readonly renewals: readonly number[];
  /** For each that it did not get, and for each that it lost, why. */
  readonly failures: readonly string[];
  /** The shortest that any lease ever had left at a look. */
  readonly lowestLeftMs: number;
  readonly longestBetweenLooksMs: number;
  /** Processor time of this process while it held them all, for each second of that. */
  readonly busyMsPerSecond: number;
  readonly releasedInMs: number;
  /** How many are held after that, says the list of locks. */
  readonly leftHeld: number;
}

const lookEveryMs = 250;
const warmUps = 300;
const flows = 10;

interface Watched {
  readonly lease: Lease;
  leftMs: number;
  renewals: number;
}

async function main(): Promise<void> {
  const [place, task]: [Place, LeasesTask] = [JSON.parse(process.argv[2] ?? ''), JSON.parse(process.argv[3] ?? '')];
  const { lockIds, leaseMs, holdMs, startsPerSecond } = task;
  const locks = await connect(place);
  // A stack that has not compiled its code yet is slow.
  for (let round = 0; round < warmUps; round++) await locks.withLock('bench/warm up', () => undefined);
  const watched: Watched[] = [];
  const lost: string[] = [];
  let isDisposing = false;
  const failures: string[] = [];
  let lowestLeftMs = Number.POSITIVE_INFINITY;
  let longestBetweenLooksMs = 0;
  let lookedMs = hostMs();
  const look = () => {
    longestBetweenLooksMs = Math.max(longestBetweenLooksMs, hostMs() - lookedMs);
    lookedMs = hostMs();
    for (const each of watched) {
      const leftMs = each.lease.remainingMs;
      // Between two looks it can only have become less, unless it was renewed.
      if (leftMs > each.leftMs) each.renewals++;
      each.leftMs = leftMs;
      lowestLeftMs = Math.min(lowestLeftMs, leftMs);
    }
  };
  const looking = setInterval(look, lookEveryMs);

  const startMs = hostMs();
  const acquire = async (lockId: string) => {
    const lease = await locks.createLock(lockId, { leaseMs }).acquire();
    watched.push({ lease, leftMs: lease.remainingMs, renewals: 0 });
    lease.signal.addEventListener('abort', () => {
      // The disposal ends every lease.
      if (!isDisposing) lost.push(String(lease.signal.reason));
    });
  };
  let started = 0;
  const flow = async () => {
    while (started < lockIds.length) {
      const at = started++;
      const dueMs = startMs + (at * 1_000) / startsPerSecond;
      if (dueMs > hostMs()) await pause(dueMs - hostMs());
      await acquire(lockIds[at] ?? '').catch((error: unknown) => failures.push(String(error)));
    }
  };
  // No more at once than this, however slow the service is.
  await Promise.all(Array.from({ length: flows }, flow));
  const heldMs = hostMs();
  const cpu = process.cpuUsage();
  await pause(holdMs);
  look();
  clearInterval(looking);
  const { user, system } = process.cpuUsage(cpu);
  const releaseMs = hostMs();
  isDisposing = true;
  await locks.dispose({ timeoutMs: 0 });
  const releasedInMs = hostMs() - releaseMs;
  let leftHeld = 0;
  for await (const _view of (await connect(place)).list()) leftHeld++;
  const report: LeasesReport = {
    kind: 'done',
    startedInMs: heldMs - startMs,
    renewals: watched.map(({ renewals }) => renewals),
    failures: [...failures, ...lost],
    lowestLeftMs,
    longestBetweenLooksMs,
    busyMsPerSecond: (user + system) / (releaseMs - heldMs),
    releasedInMs,
    leftHeld,
  };
  process.send?.(report);
}

// Its parent has ended.
process.once('disconnect', () => process.exit());
main().catch(fail);
