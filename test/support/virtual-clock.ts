import type { Surroundings } from '../../lambda/service/surroundings.ts';

interface Timer {
  readonly at: number;
  readonly wake: () => void;
}

/**
 * A clock that moves only when everything waits for it. Code under test sleeps on it; {@link VirtualClock.run} lets the
 * time pass from one sleeper's end to the next until a promise is settled.
 */
export class VirtualClock {
  #nowMs: number;
  #timers: Timer[] = [];

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  /** Epoch milliseconds. */
  readonly now = (): number => this.#nowMs;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const timer = { at: this.#nowMs + Math.max(0, ms), wake };
      const abort = () => {
        this.#timers = this.#timers.filter((each) => each !== timer);
        wake();
      };
      if (signal?.aborted) return resolve();
      signal?.addEventListener('abort', abort);
      this.#timers.push(timer);
    });

  /** Does something at a moment, in epoch milliseconds, while others sleep. */
  async at(moment: number, act: () => unknown): Promise<void> {
    await this.sleep(moment - this.#nowMs);
    await act();
  }

  /** Lets the time pass by itself, all sleepers in it woken in order. */
  async advance(ms: number): Promise<void> {
    await this.run(this.sleep(ms));
  }

  /** Lets the time pass until the promise is settled. Throws when nothing is left to wait for. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    for (;;) {
      await everythingRun();
      if (settled) return promise;
      this.#wakeNext();
    }
  }

  #wakeNext(): void {
    // The first of those that end first: a stable order makes a run repeatable.
    const next = this.#timers.reduce<Timer | undefined>(
      (first, each) => (first && first.at <= each.at ? first : each),
      undefined,
    );
    if (!next) throw new Error('nothing sleeps, and the promise is not settled');
    this.#timers.splice(this.#timers.indexOf(next), 1);
    this.#nowMs = next.at;
    next.wake();
  }

  /** The surroundings of a host whose clock is off by `skewMs`. */
  surroundings(random: () => number = () => 0.5, skewMs = 0): Surroundings {
    return { now: () => this.#nowMs + skewMs, sleep: this.sleep, random };
  }
}

// Every promise that can go on without time passing has gone on when a macrotask runs.
function everythingRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
