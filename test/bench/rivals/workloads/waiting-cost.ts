import { setTimeout as pause } from 'node:timers/promises';
import { hostMs } from '../../../support/host-clock.ts';
import type { CountedRequest } from '../../counting-proxy.ts';
import type { Figure } from '../../figures.ts';
import { LockTable } from '../../lock-table.ts';
import { contenders, holdLock } from '../contention/waiting-crew.ts';
import type { Chart } from '../drawing/chart.ts';
import type { CountedGround } from '../ground.ts';
import type { LockSystem } from '../lock-system.ts';
import { inShuffledOrder } from '../shuffle.ts';
import type { Size, Workload } from '../workload.ts';
import { fastContestants, slowContestants } from './contestants.ts';

const plans: Readonly<Record<Size, { readonly waiters: readonly number[]; readonly seconds: number }>> = {
  full: { waiters: [1, 2, 4, 8, 16, 32, 64], seconds: 20 },
  quick: { waiters: [1, 8, 64], seconds: 6 },
  smoke: { waiters: [2], seconds: 0.5 },
};
const settlingMs = 1_500;
// Those whose waiters do nothing for so long are counted over so many of their waits.
const slowWaits = 2;
// It is not renewed meanwhile: every request is one of the waiters'. Rivals wait longer the longer the lease is.
const heldFor = { leaseMs: 600_000 };

/** What those cost who wait for one lock, which is held all the time: an entry for each number of waiters. */
interface WaitingCost {
  readonly waiters: number;
  readonly requests: number;
  readonly units: number;
  /** Requests to the API; 0 where there is none. */
  readonly apiRequests: number;
  readonly waiterSeconds: number;
}

/** What waiting costs, the more wait. */
export const waitingCost: Workload = async ({ size, random, countedGround }) => {
  const { waiters, seconds } = plans[size];
  const ground = await countedGround();
  const everybody = [...fastContestants(size), ...slowContestants(size)];
  const costs = new Map<LockSystem, WaitingCost[]>(everybody.map((system) => [system, []]));
  const crowds = fastContestants(size).flatMap((system) => waiters.map((many) => ({ system, many })));
  const ofFast = await inShuffledOrder(crowds, random, ({ system, many }) => costOf(system, many, seconds, ground));
  for (const [at, { system }] of crowds.entries()) costs.get(system)?.push(ofFast[at] as WaitingCost);
  await inShuffledOrder(slowContestants(size), random, async (system) => {
    const secondsOfSlow = (slowWaits * (system.waitsMs ?? 0)) / 1_000;
    // Side by side: they send next to nothing.
    costs.get(system)?.push(...(await Promise.all(waiters.map((many) => costOf(system, many, secondsOfSlow, ground)))));
  });
  return {
    figures: [...costs].flatMap(([system, ofSystem]) => ofSystem.map((cost) => rowOf(system, cost))),
    series: Object.fromEntries([...costs].map(([{ name }, ofSystem]) => [name, ofSystem])),
    charts: [
      chartOf('waiting-units', 'capacity units', costs, ({ units }) => units),
      chartOf('waiting-requests', 'requests to the database', costs, ({ requests }) => requests),
    ],
  };
};

async function costOf(system: LockSystem, waiters: number, seconds: number, ground: CountedGround) {
  const isHoldfast = system.kind === 'holdfast';
  const { lockId, holder } = await holdLock(system, ground.uncounted, isHoldfast ? heldFor : {});
  const crew = await contenders(system, ground, waiters);
  crew.send({ kind: 'take', lockId });
  if (isHoldfast) {
    const table = new LockTable(ground.uncounted.endpoint, ground.table);
    await table.untilInLine(lockId, waiters);
    table.close();
  }
  await pause(settlingMs);
  const fromMs = hostMs();
  await pause(seconds * 1_000);
  const untilMs = hostMs();
  const within = ({ startedMs }: CountedRequest) => startedMs >= fromMs && startedMs < untilMs;
  const atDatabase = ground.database.requests.filter(
    (request) => within(request) && JSON.stringify(request.body).includes(lockId),
  );
  const apiRequests = ground.api.requests.filter(within).length;
  if (system.sdk === 'http') {
    // The API would wait on for those who are gone.
    const idle = crew.report('idle');
    crew.send({ kind: 'give back' });
    holder.send({ kind: 'give back' });
    await idle;
  }
  await Promise.all([holder.kill(), crew.kill()]);
  return {
    waiters,
    requests: atDatabase.length,
    units: atDatabase.reduce((sum, { units = 0 }) => sum + units, 0),
    apiRequests,
    waiterSeconds: (waiters * (untilMs - fromMs)) / 1_000,
  };
}

function rowOf(
  { name, sdk }: LockSystem,
  { waiters, requests, units, apiRequests, waiterSeconds }: WaitingCost,
): Figure {
  const each = (count: number) => (count / waiterSeconds).toFixed(2);
  const api = sdk === 'http' ? `, ${each(apiRequests)} requests to the API` : '';
  return {
    figure: `${waiters} waiting, each of them in a second: ${name}`,
    measured: `${each(units)} units, ${each(requests)} requests to the database${api}`,
  };
}

function chartOf(
  file: string,
  what: string,
  costs: ReadonlyMap<LockSystem, readonly WaitingCost[]>,
  of: (cost: WaitingCost) => number,
): Chart {
  return {
    file,
    title: `Waiting for a lock that is held: ${what}`,
    kind: 'lines',
    xLabel: 'waiters',
    yLabel: `${what} a second and waiter`,
    series: [...costs].map(([{ name }, ofSystem]) => ({
      name,
      points: ofSystem.map((cost) => ({ x: cost.waiters, y: of(cost) / cost.waiterSeconds })),
    })),
  };
}
