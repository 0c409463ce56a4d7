import { hostMs } from '../../../support/host-clock.ts';
import type { Figure } from '../../figures.ts';
import type { LockClient, LockSystem } from '../lock-system.ts';
import { shuffled } from '../shuffle.ts';
import { ratioOf, shownSpread, spreadOf, times } from '../spread.ts';
import { floorOf, floorV3 } from '../systems/floor.ts';
import { holdfastEmbedded } from '../systems/holdfast.ts';
import { withoutWaiting } from '../systems.ts';
import type { Context, Workload } from '../workload.ts';

const workers = 64;
const sizes = {
  full: { locks: 1_000, rounds: 2 },
  quick: { locks: 1_000, rounds: 1 },
  smoke: { locks: 64, rounds: 1 },
};
const leastOfFloor = 0.9;
const longMs = 120_000;

/** Many locks at once, each wanted by one: how many are taken and given back in a second. */
export const throughput: Workload = async (context) => {
  const perSecond = await measure(context);
  const { locks } = sizes[context.size];
  const of = (system: LockSystem) => perSecond.get(system) ?? [];
  const ratio = ratioOf(of(holdfastEmbedded), of(floorV3));
  const title = `${locks} locks by ${workers} workers`;
  const figures: Figure[] = withoutWaiting.map((system) => ({
    figure: `${title}: ${system.name}`,
    measured: `${shownSpread(spreadOf(of(system)), shown)} locks a second; ${times(ratioOf(of(system), of(floorOf(system))).median)} its floor`,
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
    series: Object.fromEntries(withoutWaiting.map((system) => [system.name, { locksPerSecond: of(system) }])),
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

// All take turns, in another order in each round.
async function measure({ size, repetitions, random, ground }: Context): Promise<Map<LockSystem, number[]>> {
  const { locks, rounds } = sizes[size];
  const place = await ground();
  const clients: [LockSystem, LockClient][] = [];
  for (const system of withoutWaiting) {
    const client = await system.connect(place);
    clients.push([system, client]);
    // Warms everything up, makes the items, and opens as many connections as will be used, which takes its time.
    await seconds(system, client, locks / 8, workers / 8);
    await seconds(system, client, locks);
  }
  const perSecond = new Map<LockSystem, number[]>(withoutWaiting.map((system) => [system, []]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const spent = new Map<LockSystem, number>();
    for (let round = 0; round < rounds; round++) {
      for (const [system, client] of shuffled(clients, random)) {
        spent.set(system, (spent.get(system) ?? 0) + (await seconds(system, client, locks)));
      }
    }
    for (const [system, of] of perSecond) of.push((locks * rounds) / (spent.get(system) ?? Number.NaN));
  }
  for (const [, client] of clients) await client.close();
  return perSecond;
}

async function seconds({ name }: LockSystem, client: LockClient, locks: number, atOnce = workers): Promise<number> {
  const lockIds = Array.from({ length: locks }, (_, at) => `bench/many ${name} ${at}`);
  client.prepare?.(lockIds);
  // Whoever is ready takes the next one.
  const rest = lockIds.values();
  const worker = async () => {
    for (const lockId of rest) await (await client.lock(lockId)).release();
  };
  const startedMs = hostMs();
  await beforeLong(name, Promise.all(Array.from({ length: atOnce }, worker)));
  return (hostMs() - startedMs) / 1_000;
}

// Some wait for ever for a lock that they hold: the AWS SDK repeated their write after a time-out, and it was refused.
async function beforeLong(name: string, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`${name} did not get all of its locks within ${longMs} ms; is the machine busy?`);
    timer = setTimeout(reject, longMs, error);
  });
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}

function shown(value: number): string {
  return value.toFixed(0);
}
