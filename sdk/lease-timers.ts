import { timerAside } from './pause.ts';

type Timer = ReturnType<typeof setTimeout>;

/** When a lease renews itself, and when it finds that it is over. `manual`: no timers; whoever looks at it finds out. */
export type Renewal = 'automatic' | 'manual';

/**
 * The timers of a held lease. They do not keep the process alive: one that forgot to release still exits, and the lease
 * then ends by itself.
 */
export class LeaseTimers {
  readonly #isManual: boolean;
  #renewal: Timer | undefined;
  #deadline: Timer | undefined;

  constructor(renewal: Renewal) {
    this.#isManual = renewal === 'manual';
  }

  /** Calls `renew` after `ms` milliseconds, instead of whenever it was due before. */
  renewIn(ms: number, renew: () => void): void {
    clearTimeout(this.#renewal);
    this.#renewal = this.#start(ms, renew);
  }

  /** Calls `look` after `ms` milliseconds, instead of whenever it was due before. */
  lookIn(ms: number, look: () => void): void {
    clearTimeout(this.#deadline);
    this.#deadline = this.#start(ms, look);
  }

  stop(): void {
    clearTimeout(this.#renewal);
    clearTimeout(this.#deadline);
  }

  #start(ms: number, run: () => void): Timer | undefined {
    return this.#isManual ? undefined : timerAside(run, ms);
  }
}
