import { type Clocks, elapsedMs, type Moment } from './clocks.ts';
import { leaseLeftMs } from './deadline.ts';

/** How long a holder may count on its lease: renewals move its end, `maxHoldMs` bounds it. */
export class LeaseTerm {
  readonly #clocks: Clocks;
  readonly #grantedAt: Moment;
  // When the holder learnt of it.
  readonly #heldSince: Moment;
  readonly #maxHoldMs: number;
  // The lease counts from here, the moment before the last request that granted or renewed it, and lasts this long.
  #sentAt: Moment;
  #lengthMs: number;

  /**
   * @param grantedAt the moment before the request was sent that granted it: the lease counts from there
   * @param maxHoldMs Infinity: no bound
   */
  constructor(clocks: Clocks, grantedAt: Moment, lengthMs: number, maxHoldMs: number) {
    this.#clocks = clocks;
    this.#grantedAt = grantedAt;
    this.#heldSince = clocks.now();
    this.#maxHoldMs = maxHoldMs;
    this.#sentAt = grantedAt;
    this.#lengthMs = lengthMs;
  }

  /** Milliseconds until the deadline; 0 or less when it has passed. */
  get leftMs(): number {
    const holdLeftMs = this.#maxHoldMs - elapsedMs(this.#grantedAt, this.#clocks);
    return Math.min(this.atServiceMs, holdLeftMs);
  }

  /** Milliseconds until the service may give the lock to others, which knows nothing of `maxHoldMs`. */
  get atServiceMs(): number {
    return leaseLeftMs(this.#sentAt, this.#lengthMs, this.#clocks);
  }

  /** Whole milliseconds for which the holder could count on it: from the answer that granted it, at most to the deadline. */
  get heldMs(): number {
    const afterDeadlineMs = Math.max(0, -this.leftMs);
    return Math.max(0, Math.round(elapsedMs(this.#heldSince, this.#clocks) - afterDeadlineMs));
  }

  /** Milliseconds until a third of the length has passed. */
  get renewInMs(): number {
    return Math.max(0, this.#lengthMs / 3 - elapsedMs(this.#sentAt, this.#clocks));
  }

  get isPastMaxHold(): boolean {
    return elapsedMs(this.#grantedAt, this.#clocks) >= this.#maxHoldMs;
  }

  /** Answers may come in out of order: the one that was sent later and lasts longer counts. */
  extend(sentAt: Moment, lengthMs: number): void {
    const isLonger =
      leaseLeftMs(sentAt, lengthMs, this.#clocks) > leaseLeftMs(this.#sentAt, this.#lengthMs, this.#clocks);
    if (!isLonger) return;
    this.#sentAt = sentAt;
    this.#lengthMs = lengthMs;
  }
}
