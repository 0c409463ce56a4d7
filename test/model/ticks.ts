import type { Timing } from '../../lambda/service/timing.ts';

/** Time passes in steps of this many milliseconds. One second, for the rules count to the second in one place. */
export const tickMs = 1_000;

/** What the true clock says in every state: when time passes, everything else moves into the past instead. */
export const T0 = 1_000_000_000;

/** Ticks from now, for keys and for people. */
export function inTicks(timeMs: number): number {
  return (timeMs - T0) / tickMs;
}

/**
 * Times of a few ticks each, so that states repeat. As with the real ones, a waiter that misses one look still answers
 * within its claim window, and renews its ticket in time.
 */
export function coarseTiming(more: Partial<Timing> = {}): Timing {
  return {
    clockSkewMs: tickMs,
    claimWindowMs: 3 * tickMs,
    retentionMs: 8 * tickMs,
    lineLimit: 4,
    heldOpen: 4,
    waitsOutside: true,
    pollMs: { step: tickMs, max: tickMs },
    outsideMs: { min: tickMs, max: tickMs },
    comeBackMs: { step: tickMs, max: tickMs },
    placeKeptMs: 4 * tickMs,
    ticketMs: 6 * tickMs,
    awayTicketMs: 6 * tickMs,
    ...more,
  };
}
