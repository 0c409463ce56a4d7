import type { Figure } from '../../figures.ts';
import type { LockClient, LockSystem } from '../lock-system.ts';
import { shuffled } from '../shuffle.ts';
import { ratioOf, shownSpread, spreadOf, times } from '../spread.ts';
import { floorOf, floorV3 } from '../systems/floor.ts';
import { holdfastEmbedded } from '../systems/holdfast.ts';
import { withoutWaiting } from '../systems.ts';
import type { Context, Workload } from '../workload.ts';
import { takeMany } from './many-locks.ts';

const workers = 64;
const sizes = {
  full: { locks: 1_000, rounds: 2 },
  quick: { locks: 1_000, rounds: 1 },
  smoke: { locks: 64, rounds: 1 },
};
const leastOfFloor = 0.9;

/** Many locks at once, each wanted by one: how many are taken and given back in a second. */
export const throughput: Workload = async (context) => {
  const results = await measure(context);
  const { locks } = sizes[context.size];
  const of = (system: LockSystem) => results.get(system)?.perSecond ?? [];
  const failures = (system: LockSystem) => {
    const failed = results.get(system)?.failed ?? 0;
    return failed > 0 ? `; ${failed} failed` : '';
  };
  const ratio = ratioOf(of(holdfastEmbedded), of(floorV3));
  const title = `${locks} locks by ${workers} workers`;
  const figures: Figure[] = withoutWaiting.map((system) => ({
    figure: `${title}: ${system.name}`,
    measured: `${shownSpread(spreadOf(of(system)), shown)} locks a second; ${times(ratioOf(of(system), of(floorOf(system))).median)} its floor${failures(system)}`,
  }));
  return {
    figures: [
      ...figures,
      {
        figure: `${title}: Holdfast embedded, by raw writes`,
        target: `≥ ${times(leastOfFloor)}`,
        measured: shownSpread(ratio, times),
        met: ratio.median >= leastOfFloor,
      },
    ],
    series: Object.fromEntries(withoutWaiting.map((system) => [system.name, results.get(system)])),
    charts: [
      {
        file: 'throughput',
        title,
        kind: 'bars',
        yLabel: 'locks taken and given back in a second (spread over the repetitions)',
        series: [
          {
            name: 'locks a second',
            points: withoutWaiting.map((system) => {
              const { median: y, low, high } = spreadOf(of(system));
              return { x: system.name, y, low, high };
            }),
          },
        ],
      },
    ],
  };
};

interface Throughput {
  /** Locks, one for each repetition. */
  readonly perSecond: number[];
  failed: number;
}

// All take turns, in another order in each round.
async function measure({ size, repetitions, random, ground }: Context): Promise<Map<LockSystem, Throughput>> {
  const { locks, rounds } = sizes[size];
  const place = await ground();
  const clients: [LockSystem, LockClient][] = [];
  for (const system of withoutWaiting) {
    const client = await system.connect(place);
    clients.push([system, client]);
    // Warms everything up, makes the items, and opens as many connections as will be used, which takes its time.
    await takeMany(system, client, { locks: locks / 8, workers: workers / 8 });
    await takeMany(system, client, { locks, workers });
  }
  const results = new Map<LockSystem, Throughput>(withoutWaiting.map((each) => [each, { perSecond: [], failed: 0 }]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const sums = new Map(withoutWaiting.map((system) => [system, { seconds: 0, done: 0, failed: 0 }]));
    for (let round = 0; round < rounds; round++) {
      for (const [system, client] of shuffled(clients, random)) {
        const { seconds, done, failed } = await takeMany(system, client, { locks, workers });
        const sum = sums.get(system);
        if (sum)
          Object.assign(sum, { seconds: sum.seconds + seconds, done: sum.done + done, failed: sum.failed + failed });
      }
    }
    for (const [system, result] of results) {
      const { seconds, done, failed } = sums.get(system) ?? { seconds: Number.NaN, done: 0, failed: 0 };
      result.perSecond.push(done / seconds);
      result.failed += failed;
    }
  }
  for (const [, client] of clients) await client.close();
  return results;
}

function shown(value: number): string {
  return value.toFixed(0);
}
