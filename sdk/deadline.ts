import { type Clocks, elapsedMs, type Moment } from './clocks.ts';

// A holder counts on this share of its lease only: clocks do not run at quite the same speed, and it must give up before
// anyone else may take over.
const leaseShare = 0.999;

/**
 * Milliseconds until the deadline of a lease; 0 or less when it is over.
 *
 * @param sentAt the moment before the request was sent that granted or renewed it
 * @param leaseMs its length, milliseconds
 */
export function leaseLeftMs(sentAt: Moment, leaseMs: number, clocks: Clocks): number {
  return leaseMs * leaseShare - elapsedMs(sentAt, clocks);
}
