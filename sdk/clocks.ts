/** A moment on two clocks, milliseconds each. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Where time comes from. */
export interface Clocks {
  now(): Moment;
}

export const systemClocks: Clocks = {
  now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }),
};

/**
 * Milliseconds since a moment, by the clock that says more time has passed.
 *
 * The monotonic clock may stand still while the machine sleeps; the wall clock may be set back. A holder that believed
 * the slower one would think that it still holds.
 */
export function elapsedMs(since: Moment, clocks: Clocks): number {
  const now = clocks.now();
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}
