import { type Figure, median, ms, tailOf } from '../../figures.ts';
import { refusedRequests } from '../../refused-requests.ts';
import type { Chart } from '../drawing/chart.ts';
import type { LockClient, LockSystem } from '../lock-system.ts';
import { inShuffledOrder, shuffled } from '../shuffle.ts';
import { ratioOf, shownSpread, spreadOf, times } from '../spread.ts';
import { systems, withoutWaiting } from '../systems.ts';
import type { Context, Workload } from '../workload.ts';
import { beforeLong } from './before-long.ts';
import { costOfCycle } from './cycle-cost.ts';
import { runCycles } from './cycles.ts';
import { floorAmong } from './floor-among.ts';
import { type Uncontended, uncontendedTargets } from './uncontended-targets.ts';

const sizes = {
  full: { warmUp: 500, blocks: 40, perBlock: 25 },
  quick: { warmUp: 200, blocks: 16, perBlock: 25 },
  smoke: { warmUp: 5, blocks: 2, perBlock: 5 },
};

/** A lock that nobody else wants: taken and given back, again and again. */
export const uncontended: Workload = async (context) => {
  const { timesOf, rawMs } = await measure(context);
  const results = new Map(
    await inShuffledOrder(
      [...timesOf],
      context.random,
      async ([system, itsTimes]): Promise<[LockSystem, Uncontended]> => [
        system,
        { ...itsTimes, ...(await costOfCycle(system, context)) },
      ],
    ),
  );
  const raw = 'raw HTTP round trip';
  return {
    figures: [
      ...[...results].map(([system, result]) => cycleFigure(system, result, results)),
      { figure: `uncontended: ${raw}`, measured: shownSpread(spreadOf(rawMs), ms) },
      ...uncontendedTargets(results, rawMs),
    ],
    series: {
      ...Object.fromEntries([...results].map(([{ name }, result]) => [name, result])),
      [raw]: { p50Ms: rawMs },
    },
    charts: [chartOf(results)],
  };
};

// Everybody takes turns in small blocks, in another order each time, so that what disturbs one disturbs them all.
async function measure({ size, repetitions, random, ground }: Context) {
  const { warmUp, blocks, perBlock } = sizes[size];
  // A run that is to show that everything runs leaves none out.
  const measured = size === 'smoke' ? systems : withoutWaiting;
  const place = await ground();
  const lockIds = ({ name }: LockSystem, count: number) => Array.from({ length: count }, () => `bench/alone ${name}`);
  const clients: [LockSystem, LockClient][] = [];
  for (const system of measured) {
    const client = await system.connect(place);
    clients.push([system, client]);
    await beforeLong(system.name, runCycles(client, lockIds(system, warmUp)));
  }
  await refusedRequests(place.url, warmUp);

  const timesOf = new Map(
    measured.map((system) => [
      system,
      { p50Ms: [] as number[], tail: '', tailMs: [] as number[], cpuMs: [] as number[] },
    ]),
  );
  const rawMs: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const cycleMs = new Map<LockSystem, number[]>(measured.map((system) => [system, []]));
    const cpuMs = new Map<LockSystem, number>();
    const requestMs: number[] = [];
    const turns = [
      ...clients.map(([system, client]) => async () => {
        const run = await beforeLong(system.name, runCycles(client, lockIds(system, perBlock)));
        cycleMs.get(system)?.push(...run.cycleMs);
        cpuMs.set(system, (cpuMs.get(system) ?? 0) + run.cpuMs);
      }),
      async () => {
        requestMs.push(...(await refusedRequests(place.url, perBlock)));
      },
    ];
    for (let block = 0; block < blocks; block++) for (const turn of shuffled(turns, random)) await turn();
    for (const [system, result] of timesOf) {
      const taken = cycleMs.get(system) ?? [];
      result.p50Ms.push(median(taken));
      const tail = tailOf(taken, 99);
      result.tail = tail.name;
      result.tailMs.push(tail.value);
      result.cpuMs.push((cpuMs.get(system) ?? 0) / taken.length);
    }
    rawMs.push(median(requestMs));
  }
  for (const [, client] of clients) await client.close();
  return { timesOf, rawMs };
}

function cycleFigure(system: LockSystem, result: Uncontended, results: ReadonlyMap<LockSystem, Uncontended>): Figure {
  const floor = results.get(floorAmong(results.keys(), system));
  const measured = [
    `p50 ${shownSpread(spreadOf(result.p50Ms), ms)}`,
    `${result.tail} ${shownSpread(spreadOf(result.tailMs), ms)}`,
    `${times(ratioOf(result.p50Ms, floor?.p50Ms ?? []).median)} its floor`,
    `processor ${ms(spreadOf(result.cpuMs).median)}`,
    `${result.writes} writes, ${result.reads} reads, ${result.units} units`,
  ];
  return { figure: `uncontended: ${system.name}, a cycle`, measured: measured.join('; ') };
}

function chartOf(results: ReadonlyMap<LockSystem, Uncontended>): Chart {
  const points = [...results].map(([{ name }, { p50Ms }]) => {
    const { median: y, low, high } = spreadOf(p50Ms);
    return { x: name, y, low, high };
  });
  return {
    file: 'uncontended',
    title: 'A lock that nobody else wants: to take it and give it back',
    kind: 'bars',
    yLabel: 'median, ms (spread over the repetitions)',
    series: [{ name: 'cycle', points }],
  };
}
