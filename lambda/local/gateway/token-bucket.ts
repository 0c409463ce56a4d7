import type { Throttle } from '../../throttles.ts';

/** A bucket that starts full, loses one token to each request and is filled at a rate. Empty, it takes no request. */
export class TokenBucket {
  readonly #throttle: Throttle;
  readonly #clock: () => number;
  #tokens: number;
  #filledMs: number;

  /** @param clock one that only goes forward, milliseconds */
  constructor(throttle: Throttle, clock: () => number) {
    this.#throttle = throttle;
    this.#clock = clock;
    this.#tokens = throttle.burst;
    this.#filledMs = clock();
  }

  /** Whether a request is let in. One that is not costs nothing. */
  take(): boolean {
    const nowMs = this.#clock();
    const { requestsPerSecond, burst } = this.#throttle;
    const tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledMs) * requestsPerSecond) / 1_000);
    if (tokens < 1) return false;
    this.#tokens = tokens - 1;
    this.#filledMs = nowMs;
    return true;
  }
}
