import type { LockClient, LockSystem } from '../lock-system.ts';
import { shuffled } from '../shuffle.ts';
import { spreadOf } from '../spread.ts';
import { withoutWaiting } from '../systems.ts';
import type { Context, Workload } from '../workload.ts';
import { takeMany } from './many-locks.ts';
import { type Throughput, throughputFigures } from './throughput-figures.ts';

const workers = 64;
const sizes = {
  full: { locks: 1_000, rounds: 2 },
  quick: { locks: 1_000, rounds: 1 },
  smoke: { locks: 64, rounds: 1 },
};

/** Many locks at once, each wanted by one: how many are taken and given back in a second. */
export const throughput: Workload = async (context) => {
  const results = await measure(context);
  const { locks } = sizes[context.size];
  const title = `${locks} locks by ${workers} workers`;
  return {
    figures: throughputFigures(title, results),
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
              const { median: y, low, high } = spreadOf(results.get(system)?.perSecond ?? []);
              return { x: system.name, y, low, high };
            }),
          },
        ],
      },
    ],
  };
};

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
