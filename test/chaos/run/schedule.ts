import { seededRandom } from '../../support/seeded-random.ts';
import type { FaultPlan, NetworkFault, ProcessFault } from './fault-plan.ts';
import { clockOffset, shape, workers } from './shape.ts';

// The first share of a run has one fault at a time, with a while to recover in between; then they mix.
const aloneShare = 0.4;
const quietMs = { beginning: 3_000, between: 700, end: 500 };
const mixedEveryMs = 1_000;

type Fault = ProcessFault | NetworkFault;
type Make = (random: () => number, isBeyondMargin: boolean) => Fault;

const below = (random: () => number, count: number) => Math.floor(random() * count);

const networkFault =
  (kind: NetworkFault['kind'], layer: NetworkFault['layer'], share = { min: 0.2, max: 0.9 }): Make =>
  (random) => {
    const links = layer === 'api' ? shape.httpWorkers : shape.apis + shape.embeddedWorkers;
    const link = random() < 0.2 && kind !== 'partition' ? 'all' : below(random, links);
    return { kind, layer, link, share: share.min + (share.max - share.min) * random() };
  };

const everywhere = (kind: NetworkFault['kind'], share?: { min: number; max: number }): Make[] => [
  networkFault(kind, 'api', share),
  networkFault(kind, 'database', share),
];

const whole = { min: 1, max: 1 };

// Each kind once: they are dealt in random order, so that a run meets all of them before it meets one again.
const deck: readonly Make[] = [
  (random) => ({ kind: 'freeze-worker', worker: below(random, workers), when: 'holding' }),
  (random) => ({ kind: 'freeze-worker', worker: below(random, workers), when: 'waiting' }),
  (random) => ({ kind: 'kill-worker', worker: below(random, workers), when: 'holding' }),
  (random) => ({ kind: 'kill-worker', worker: below(random, workers), when: 'waiting' }),
  (random) => ({ kind: 'freeze-api', api: below(random, shape.apis) }),
  (random) => ({ kind: 'kill-api', api: below(random, shape.apis) }),
  (random) => ({ kind: 'kill-api-mid-request', api: below(random, shape.apis) }),
  (random) => ({ kind: 'block-worker', worker: below(random, workers) }),
  (random, wild) => ({
    kind: 'step-clock',
    of: 'worker',
    index: below(random, workers),
    clockOffsetMs: clockOffset(random, wild),
  }),
  (random, wild) => ({
    kind: 'step-clock',
    of: 'api',
    index: below(random, shape.apis),
    clockOffsetMs: clockOffset(random, wild),
  }),
  () => ({ kind: 'restart-database' }),
  ...everywhere('drop-request'),
  ...everywhere('drop-reply'),
  ...everywhere('delay'),
  ...everywhere('black-hole'),
  ...everywhere('mute'),
  ...everywhere('duplicate'),
  ...everywhere('error'),
  ...everywhere('error-after'),
  ...everywhere('throttle'),
  ...everywhere('partition', whole),
  networkFault('stale-read', 'database', { min: 0.5, max: 1 }),
  networkFault('stale-read', 'database', { min: 0.5, max: 1 }),
];

/** The faults of a run, in order. The same seed has the same. */
export function scheduleOf(seed: number, seconds: number, isBeyondMargin: boolean): FaultPlan[] {
  const random = seededRandom(seed);
  const endsMs = seconds * 1_000 - quietMs.end;
  const aloneUntilMs = endsMs * aloneShare;
  const plans: FaultPlan[] = [];
  const cards = dealt(random);
  let atMs = quietMs.beginning;
  while (atMs < endsMs) {
    const fault = cards()(random, isBeyondMargin);
    const durationMs = Math.round(durationOf(fault, random));
    // Another card: one that takes no time is always left.
    if (atMs + durationMs > endsMs) continue;
    plans.push({ ...fault, fault: `fault${plans.length + 1}`, atMs: Math.round(atMs), durationMs });
    atMs += atMs < aloneUntilMs ? durationMs + quietMs.between : mixedEveryMs * 2 * random();
  }
  return plans;
}

function dealt(random: () => number): () => Make {
  let left: Make[] = [];
  return () => {
    if (left.length === 0) left = [...deck];
    return left.splice(below(random, left.length), 1)[0] as Make;
  };
}

function durationOf({ kind }: Fault, random: () => number): number {
  const between = (min: number, max: number) => min + (max - min) * random();
  switch (kind) {
    case 'freeze-worker':
    case 'freeze-api':
      return between(shape.freezeMs.min, shape.freezeMs.max);
    case 'partition':
      return between(shape.leaseMs + 600, shape.leaseMs + 2_000);
    case 'block-worker':
      return between(300, 1_800);
    // How long it stays away.
    case 'kill-worker':
    case 'kill-api':
    case 'kill-api-mid-request':
    case 'restart-database':
      return between(0, 800);
    case 'step-clock':
      return 0;
    default:
      return between(400, 1_600);
  }
}
