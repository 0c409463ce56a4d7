import { setTimeout as pause } from 'node:timers/promises';
import { hostMs } from '../../../support/host-clock.ts';
import { type Figure, ms } from '../../figures.ts';
import { LockTable } from '../../lock-table.ts';
import type { ContenderProcess } from '../contention/contender-process.ts';
import { contenders, type HeldLock, holdLock } from '../contention/waiting-crew.ts';
import type { Ground, LockSystem } from '../lock-system.ts';
import { shuffled } from '../shuffle.ts';
import { shownSpread, spreadOf } from '../spread.ts';
import type { Size, Workload } from '../workload.ts';
import { fastContestants, slowContestants } from './contestants.ts';
import { killAtMs, killParts } from './kill-moments.ts';

const plans: Readonly<Record<Size, { readonly leaseMs: number; readonly kills: number }>> = {
  full: { leaseMs: 5_000, kills: 3 },
  quick: { leaseMs: 3_000, kills: 3 },
  smoke: { leaseMs: 1_000, kills: 2 },
};
// After so many leases nobody takes it any more.
const leasesAtMost = 4;
const settlingMs = 700;

/** What became of a lock whose holder was killed. */
interface TakenOver {
  /** Where between two renewals its holder was killed. */
  readonly killedAtPart: number;
  /** Nothing: nobody got it in time. */
  readonly afterKillMs?: number;
  /** After the end of the lease, as it stood in the table when its holder died; of Holdfast. */
  readonly afterLeaseMs?: number;
}

/** The holder of a lock is killed (-9), and another waits for it. */
export const takeOver: Workload = async ({ size, repetitions, random, ground }) => {
  const { leaseMs, kills } = plans[size];
  const place = await ground();
  const results = new Map<LockSystem, TakenOver[]>(
    [...fastContestants(size), ...slowContestants(size)].map((system) => [system, []]),
  );
  for (let repetition = 0; repetition < repetitions; repetition++) {
    // The same for everybody: how soon after a renewal its holder dies decides how long a lease still lasts.
    const parts = killParts(kills, random);
    for (const [system, taken] of shuffled([...results], random)) {
      taken.push(...(await killAndWait(system, leaseMs, parts, place)));
    }
  }
  return {
    figures: [...results].map(([system, taken]) => figureOf(system, leaseMs, taken)),
    series: Object.fromEntries([...results].map(([{ name }, taken]) => [name, { leaseMs, taken }])),
  };
};

// Each has a lock of its own. They start one after the other and die side by side: what waits disturbs nobody, what starts does.
async function killAndWait(
  system: LockSystem,
  leaseMs: number,
  parts: readonly number[],
  ground: Ground,
): Promise<TakenOver[]> {
  const pairs: Pair[] = [];
  for (const killedAtPart of parts) pairs.push(await holderAndWaiter(system, leaseMs, killedAtPart, ground));
  const notBeforeMs = hostMs() + settlingMs;
  return Promise.all(
    pairs.map(async ({ held, waiter, taken, killedAtPart }) => {
      // Where nothing is renewed, one moment is as good as another.
      const term = { grantedMs: held.grantedMs, periodMs: leaseMs * (system.renewsAfterPart ?? 1) };
      await pause(killAtMs(term, killedAtPart, notBeforeMs) - hostMs());
      const killedMs = hostMs();
      await held.holder.kill();
      const leaseEndMs = system.kind === 'holdfast' ? await endOfLease(held.lockId, ground) : undefined;
      const got = await Promise.race([taken, pause(leasesAtMost * leaseMs)]);
      await waiter.kill();
      if (!got) return { killedAtPart };
      return {
        killedAtPart,
        afterKillMs: got.grantedMs - killedMs,
        ...(leaseEndMs !== undefined && { afterLeaseMs: got.grantedMs - leaseEndMs }),
      };
    }),
  );
}

interface Pair {
  readonly killedAtPart: number;
  readonly held: HeldLock;
  readonly waiter: ContenderProcess;
  readonly taken: Promise<{ readonly grantedMs: number }>;
}

async function holderAndWaiter(
  system: LockSystem,
  leaseMs: number,
  killedAtPart: number,
  ground: Ground,
): Promise<Pair> {
  const tuning = system.tunes?.includes('leaseMs') ? { leaseMs } : {};
  const held = await holdLock(system, ground, tuning);
  const waiter = await contenders(system, ground, 1, tuning);
  const taken = waiter.report('taken');
  waiter.send({ kind: 'take', lockId: held.lockId });
  return { killedAtPart, held, waiter, taken };
}

// By the clock of the machine, as the holder's own clock had it.
async function endOfLease(lockId: string, { endpoint, table }: Ground): Promise<number> {
  const locks = new LockTable(endpoint, table);
  const item = await locks.read(lockId);
  locks.close();
  return (item?.until ?? Number.NaN) - Date.now() + hostMs();
}

function figureOf(system: LockSystem, leaseMs: number, taken: readonly TakenOver[]): Figure {
  const lease = system.tunes?.includes('leaseMs') ? `lease of ${ms(leaseMs)}` : 'no lease';
  const afterKill = taken.flatMap(({ afterKillMs }) => afterKillMs ?? []);
  const of = (values: readonly number[]) => shownSpread(spreadOf(values), ms);
  const afterLease = taken.flatMap(({ afterLeaseMs }) => afterLeaseMs ?? []);
  const lost = taken.length - afterKill.length;
  const parts = [
    ...(afterKill.length > 0 ? [`${of(afterKill)} after the kill`] : []),
    ...(afterLease.length > 0 ? [`${of(afterLease)} after the lease’s end`] : []),
    ...(lost > 0 ? [`not within ${ms(leasesAtMost * leaseMs)}: ${lost} of ${taken.length}`] : []),
  ];
  return {
    figure: `taken over from a killed holder, ${lease}: ${system.name}`,
    measured: `${parts.join('; ')}; ${taken.length} killed`,
  };
}
