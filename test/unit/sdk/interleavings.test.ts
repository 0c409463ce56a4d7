import fc from 'fast-check';
import type { Answer } from '../../../sdk/backend.ts';
import { InterruptedError, LeaseLostError, type Lock, LockFactory, LockServiceError } from '../../../sdk/index.ts';
import { ServiceBackend, unanswered } from '../../support/service-backend.ts';

/** One flow: which process it belongs to, when it begins, how it asks for the lock, how long it keeps it. */
interface Flow {
  readonly process: number;
  readonly startsMs: number;
  readonly asks:
    | { readonly how: 'lock' }
    | { readonly how: 'try' }
    | { readonly how: 'timed' | 'aborted'; readonly ms: number };
  readonly holdsMs: number;
}

const shortMs = fc.integer({ min: 0, max: 4_000 });
const flow: fc.Arbitrary<Flow> = fc.record({
  process: fc.nat({ max: 1 }),
  startsMs: fc.oneof(fc.constant(0), shortMs),
  asks: fc.oneof(
    { weight: 3, arbitrary: fc.constant({ how: 'lock' as const }) },
    { weight: 1, arbitrary: fc.constant({ how: 'try' as const }) },
    { weight: 2, arbitrary: fc.record({ how: fc.constantFrom('timed' as const, 'aborted' as const), ms: shortMs }) },
  ),
  // Longer than the lease, too: it is renewed meanwhile, or lost.
  holdsMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 7_000 })),
});

/** Where requests and replies travel: each arrives when the scheduler says so, late ones too, and some never do. */
class ScheduledBackend extends ServiceBackend {
  readonly #scheduler: fc.Scheduler;
  readonly #losses: fc.Stream<boolean>;

  constructor(scheduler: fc.Scheduler, losses: fc.Stream<boolean>) {
    super();
    this.#scheduler = scheduler;
    this.#losses = losses;
  }

  override try(...call: Parameters<ServiceBackend['try']>): Promise<Answer> {
    return this.#inTime(call[1], () => super.try(...call));
  }

  override acquire(...call: Parameters<ServiceBackend['acquire']>): Promise<Answer> {
    return this.#inTime(call[1], () => super.acquire(...call));
  }

  override renew(...call: Parameters<ServiceBackend['renew']>): Promise<Answer> {
    return this.#inTime(call[1], () => super.renew(...call));
  }

  override release(...call: Parameters<ServiceBackend['release']>): Promise<Answer> {
    return this.#inTime(call[1], () => super.release(...call));
  }

  // Whoever waited long enough hears nothing, and the request goes on: it may arrive later still.
  async #inTime(timeoutMs: number, run: () => Promise<Answer>): Promise<Answer> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timedOut = new Promise<Answer>((resolve) => {
      timer = setTimeout(() => resolve(unanswered()), timeoutMs);
    });
    try {
      return await Promise.race([this.#travel(run), timedOut]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #travel(run: () => Promise<Answer>): Promise<Answer> {
    if (await this.#isLost()) return unanswered();
    const answer = await run();
    return (await this.#isLost()) ? unanswered() : answer;
  }

  async #isLost(): Promise<boolean> {
    await this.#scheduler.schedule(Promise.resolve());
    return this.#losses.next().value === true;
  }
}

/** What the flows did, and what they must not have done. */
class Observations {
  readonly fences: number[] = [];
  readonly got: Flow[] = [];
  readonly #held = new Set<Lock>();

  constructor(readonly locks: readonly Lock[]) {}

  look(): void {
    const holders = this.locks.filter((lock) => lock.isHeld);
    if (holders.length > 1) throw new Error(`${holders.length} flows hold the lock at once`);
    for (const lock of holders) {
      if (this.#held.has(lock)) continue;
      this.#held.add(lock);
      this.fences.push(lock.fencingToken as number);
    }
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What the SDK says of the network, or of the lease: legal whenever requests are lost. */
const isOfTheNetwork = (error: unknown) => error instanceof LockServiceError || error instanceof LeaseLostError;

async function run({ startsMs, asks, holdsMs }: Flow, lock: Lock, acquired: () => void): Promise<void> {
  await pause(startsMs);
  try {
    if (!(await take(lock, asks))) return;
    acquired();
    await pause(holdsMs);
    await lock.unlock();
  } catch (error) {
    if (!isOfTheNetwork(error) && !(error instanceof InterruptedError && asks.how === 'aborted')) throw error;
  }
}

async function take(lock: Lock, asks: Flow['asks']): Promise<boolean> {
  switch (asks.how) {
    case 'try':
      return lock.tryLock();
    case 'timed':
      return lock.tryLock(asks.ms);
    case 'aborted': {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), asks.ms);
      try {
        await lock.lockInterruptibly(controller.signal);
      } finally {
        clearTimeout(timer);
      }
      return true;
    }
    case 'lock':
      await lock.lock();
      return true;
  }
}

describe('flows of two processes, in whatever order their requests and replies arrive', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    ['some of them lost', fc.infiniteStream(fc.integer({ min: 0, max: 7 }).map((chance) => chance === 0))],
    ['none of them lost', fc.infiniteStream(fc.constant(false))],
  ])('never hold one lock at once, get growing fencing tokens, and leave it free: %s', async (_, losses) => {
    const flows = fc.array(flow, { minLength: 2, maxLength: 6 });
    // Whether time passes, or something arrives.
    const turns = fc.infiniteStream(fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0));
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), flows, losses, turns, async (scheduler, all, lost, timePasses) => {
        jest.clearAllTimers();
        const backend = new ScheduledBackend(scheduler, lost);
        const processes = [0, 1].map(() => new LockFactory(backend, { leaseMs: 3_000, random: () => 0.5 }));
        const locks = all.map(({ process }) => (processes[process] as LockFactory).createLock('a'));
        const observed = new Observations(locks);
        const running = all.map((each, index) => run(each, locks[index] as Lock, () => observed.got.push(each)));

        await go(
          Promise.all(running),
          scheduler,
          () => timePasses.next().value === true,
          () => observed.look(),
        );
        await go(
          Promise.all(processes.map((each) => each.dispose())),
          scheduler,
          () => false,
          () => observed.look(),
        );
        await scheduler.waitIdle();

        expect(observed.fences).toEqual([...new Set(observed.fences)].sort((a, b) => a - b));
        expectInOrder(observed.got);
        // What a late duplicate left behind lasts a lease, or a place in line.
        await jest.advanceTimersByTimeAsync(60_000);
        expect((await backend.service.inspect('a')).view.state).not.toBe('held');
        expect(jest.getTimerCount()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});

/** Lets time pass and requests arrive, in whatever order, until a promise is settled; looks after each step. */
async function go(promise: Promise<unknown>, scheduler: fc.Scheduler, timePasses: () => boolean, look: () => void) {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  for (let step = 0; !settled; step++) {
    if (step > 20_000) throw new Error('the flows do not end');
    if (scheduler.count() > 0 && !timePasses()) await scheduler.waitOne();
    else await jest.advanceTimersToNextTimerAsync();
    look();
  }
  await promise;
}

/** Flows of one process that wait as long as it takes get the lock as they came. */
function expectInOrder(got: readonly Flow[]): void {
  for (const process of [0, 1]) {
    const starts = got
      .filter((each) => each.process === process && each.asks.how === 'lock')
      .map((each) => each.startsMs);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
  }
}
