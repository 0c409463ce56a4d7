import type { LockView } from './lock-view.ts';

/** A lock with its times as epoch milliseconds. */
export type TimedView = Omit<LockView, 'since' | 'expiresAt'> & {
  readonly since?: number;
  readonly until?: number;
};

/** Spells the times of a lock as the contract has them, RFC 3339. */
export function datedView({ since, until, ...view }: TimedView): LockView {
  return {
    ...view,
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { expiresAt: new Date(until).toISOString() }),
  };
}
