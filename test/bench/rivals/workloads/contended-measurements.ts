import { contend } from '../contention/contention.ts';
import { summaryOf } from '../contention/contention-summary.ts';
import { countedContention } from '../contention/counted-contention.ts';
import { equalPace } from '../contention/equal-pace.ts';
import type { LockSystem } from '../lock-system.ts';
import { inShuffledOrder, shuffled } from '../shuffle.ts';
import { holdfastEmbedded } from '../systems/holdfast.ts';
import type { Context, Size } from '../workload.ts';
import { fastContestants, slowContestants } from './contestants.ts';
import type { Counted, Manner, Measured, Paced } from './contests.ts';

export interface ContendedPlan {
  readonly contenders: readonly number[];
  /** Sizes at which fairness is looked at: for so long that there are enough rounds. */
  readonly askingAtOnce: readonly number[];
  /** Contenders that are counted besides: one more than stand in line. */
  readonly alsoCounted: readonly number[];
  readonly seconds: number;
  /** Those whose waiters do nothing for seconds: measured once, at these sizes, for so many of their waits. */
  readonly slow: readonly number[];
  readonly slowWaits: number;
}

export const contendedPlans: Readonly<Record<Size, ContendedPlan>> = {
  full: {
    contenders: [2, 8, 32, 64],
    askingAtOnce: [8, 32],
    alsoCounted: [1, 9, 65],
    seconds: 6,
    slow: [2, 8],
    slowWaits: 4,
  },
  quick: {
    contenders: [2, 8, 32, 64],
    askingAtOnce: [8],
    alsoCounted: [1, 9, 65],
    seconds: 4,
    slow: [2, 8],
    slowWaits: 1.5,
  },
  smoke: { contenders: [2], askingAtOnce: [], alsoCounted: [], seconds: 0.5, slow: [], slowWaits: 0 },
};

const processesAtMost = 4;
const paceable = (size: Size) =>
  fastContestants(size).filter(({ kind, tunes = [] }) => kind === 'rival' && tunes.includes('pollMs'));

const processesOf = (manner: Manner, contenders: number) =>
  manner.startsWith('several') ? Math.min(contenders, processesAtMost) : 1;

/** Everybody's times, in an order of its own in each repetition. */
export async function measureTimes({ size, repetitions, random, ground }: Context): Promise<Measured[]> {
  const { contenders, askingAtOnce, seconds } = contendedPlans[size];
  const contesting = fastContestants(size);
  const manners: readonly (readonly [Manner, readonly number[], readonly LockSystem[]])[] = [
    ['several processes', contenders, contesting],
    ['one process', size === 'full' ? contenders : [], contesting],
    ['several processes, asking again at once', askingAtOnce, contesting],
    ['one client', contenders, contesting.filter(({ kind }) => kind === 'holdfast')],
  ];
  const measured = manners.flatMap(([manner, sizes, ofThem]) =>
    ofThem.flatMap((system) => sizes.map((each): Measured => ({ system, contenders: each, manner, summaries: [] }))),
  );
  const place = await ground();
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const { system, contenders: many, manner, summaries } of shuffled(measured, random)) {
      const rests = manner === 'one process' || manner === 'several processes';
      const run = await contend({
        system,
        ground: place,
        contenders: many,
        processes: processesOf(manner, many),
        shared: manner === 'one client',
        rests,
        // Enough for some rounds.
        seconds: rests ? seconds : seconds * Math.max(1, many / 16),
      });
      summaries.push(summaryOf(run, many));
    }
  }
  return measured;
}

/** What everybody's contests cost. Those who are slow are counted side by side, and timed so, too. */
export async function measureCosts({
  size,
  random,
  countedGround,
}: Context): Promise<{ counted: Counted[]; slow: Measured[] }> {
  const plan = contendedPlans[size];
  const place = await countedGround();
  const cost = async (system: LockSystem, contenders: number, seconds: number): Promise<Counted> => {
    const processes = processesOf('several processes', contenders);
    const contest = { system, contenders, processes, rests: contenders > 1, seconds };
    return { system, contenders, cost: await countedContention(contest, place) };
  };
  const contests = [...plan.contenders, ...plan.alsoCounted].flatMap((contenders) =>
    fastContestants(size).map((system) => ({ system, contenders })),
  );
  const counted = await inShuffledOrder(contests, random, ({ system, contenders }) =>
    cost(system, contenders, plan.seconds),
  );
  const secondsOf = ({ waitsMs = 0 }: LockSystem) => (plan.slowWaits * waitsMs) / 1_000;
  const bySlow = await inShuffledOrder(plan.slow, random, (contenders) =>
    Promise.all(slowContestants(size).map((system) => cost(system, contenders, secondsOf(system)))),
  ).then((each) => each.flat());
  return {
    counted: [...counted, ...bySlow],
    slow: bySlow.map(({ system, contenders, cost: { summary } }) => ({
      system,
      contenders,
      manner: 'several processes',
      summaries: [summary],
    })),
  };
}

/** The rivals whose pace can be set, at Holdfast embedded's requests a second. */
export async function measureAtEqualRequests(context: Context, counted: readonly Counted[]): Promise<Paced[]> {
  const { contenders, seconds } = contendedPlans[context.size];
  const contests = contenders.flatMap((many) => {
    const ours = counted.find(({ system, contenders: each }) => system === holdfastEmbedded && each === many);
    if (!ours) return [];
    const { requestsPerSecond } = ours.cost;
    return paceable(context.size).map((system) => ({ system, contenders: many, requestsPerSecond }));
  });
  const paced = await inShuffledOrder(
    contests,
    context.random,
    async ({ system, contenders: many, requestsPerSecond }): Promise<Paced> => {
      const place = await context.countedGround();
      const processes = processesOf('several processes', many);
      const contest = { system, contenders: many, processes, rests: true, seconds };
      const pace = await equalPace(requestsPerSecond, many, (pollMs) =>
        countedContention({ ...contest, tuning: { pollMs } }, place),
      );
      return { system, contenders: many, manner: 'several processes', summaries: [], pace, requestsPerSecond };
    },
  );
  const ground = await context.ground();
  for (let repetition = 0; repetition < context.repetitions; repetition++) {
    for (const { system, contenders: many, pace, summaries } of shuffled(paced, context.random)) {
      const tuning = { pollMs: pace.pollMs };
      const processes = processesOf('several processes', many);
      const contest = { system, ground, tuning, contenders: many, processes, rests: true, seconds };
      summaries.push(summaryOf(await contend(contest), many));
    }
  }
  return paced;
}
