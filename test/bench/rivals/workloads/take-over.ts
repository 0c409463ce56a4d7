import { setTimeout as pause } from 'node:timers/promises';
import { hostMs } from '../../../support/host-clock.ts';
import { type Figure, ms } from '../../figures.ts';
import { LockTable } from '../../lock-table.ts';
import { contenders, holdLock } from '../contention/waiting-crew.ts';
import type { Ground, LockSystem } from '../lock-system.ts';
import { shuffled } from '../shuffle.ts';
import { shownSpread, spreadOf } from '../spread.ts';
import type { Size, Workload } from '../workload.ts';
import { fastContestants, slowContestants } from './contestants.ts';

const leasesMs: Readonly<Record<Size, number>> = { full: 5_000, quick: 3_000, smoke: 1_000 };
// After so many leases nobody takes it any more.
const leasesAtMost = 4;
const settlingMs = 700;

/** What became of a lock whose holder was killed; nothing: nobody got it in time. */
interface TakenOver {
  readonly afterKillMs: number;
  /** After the end of the lease, as it stood in the table when its holder died; of Holdfast. */
  readonly afterLeaseMs?: number;
}

/** The holder of a lock is killed (-9), and another waits for it. */
export const takeOver: Workload = async ({ size, repetitions, random, ground }) => {
  const leaseMs = leasesMs[size];
  const place = await ground();
  const results = new Map<LockSystem, (TakenOver | undefined)[]>(
    [...fastContestants(size), ...slowContestants(size)].map((system) => [system, []]),
  );
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const [system, taken] of shuffled([...results], random)) {
      taken.push(await killAndWait(system, leaseMs, random() * leaseMs, place));
    }
  }
  return {
    figures: [...results].map(([system, taken]) => figureOf(system, leaseMs, taken)),
    series: Object.fromEntries([...results].map(([{ name }, taken]) => [name, { leaseMs, taken }])),
  };
};

async function killAndWait(
  system: LockSystem,
  leaseMs: number,
  heldForMs: number,
  ground: Ground,
): Promise<TakenOver | undefined> {
  const tuning = system.tunes?.includes('leaseMs') ? { leaseMs } : {};
  const { lockId, holder } = await holdLock(system, ground, tuning);
  const waiter = await contenders(system, ground, 1, tuning);
  const taken = waiter.report('taken');
  waiter.send({ kind: 'take', lockId });
  // Wherever between two renewals it then is.
  await pause(settlingMs + heldForMs);
  const killedMs = hostMs();
  await holder.kill();
  const leaseEndMs = system.kind === 'holdfast' ? await endOfLease(lockId, ground) : undefined;
  const got = await Promise.race([taken, pause(leasesAtMost * leaseMs)]);
  await waiter.kill();
  if (!got) return undefined;
  const { grantedMs } = got;
  return {
    afterKillMs: grantedMs - killedMs,
    ...(leaseEndMs !== undefined && { afterLeaseMs: grantedMs - leaseEndMs }),
  };
}

// By the clock of the machine, as the holder's own clock had it.
async function endOfLease(lockId: string, { endpoint, table }: Ground): Promise<number> {
  const locks = new LockTable(endpoint, table);
  const item = await locks.read(lockId);
  locks.close();
  return (item?.until ?? Number.NaN) - Date.now() + hostMs();
}

function figureOf(system: LockSystem, leaseMs: number, taken: readonly (TakenOver | undefined)[]): Figure {
  const lease = system.tunes?.includes('leaseMs') ? `lease of ${ms(leaseMs)}` : 'no lease';
  const got = taken.filter((each) => each !== undefined);
  const of = (values: readonly number[]) => shownSpread(spreadOf(values), ms);
  const afterLease = got.flatMap(({ afterLeaseMs }) => afterLeaseMs ?? []);
  const lost = taken.length - got.length;
  const parts = [
    ...(got.length > 0 ? [`${of(got.map(({ afterKillMs }) => afterKillMs))} after the kill`] : []),
    ...(afterLease.length > 0 ? [`${of(afterLease)} after the lease’s end`] : []),
    ...(lost > 0 ? [`not within ${ms(leasesAtMost * leaseMs)}: ${lost} of ${taken.length}`] : []),
  ];
  return { figure: `taken over from a killed holder, ${lease}: ${system.name}`, measured: parts.join('; ') };
}
