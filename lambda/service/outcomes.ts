import type { LockItem } from './lock-item.ts';

/** The caller holds the lock. */
export interface Granted {
  readonly kind: 'granted';
  readonly lockId: string;
  readonly ownerToken: string;
  readonly fencingToken: number;
  readonly leaseMs: number;
  /** End of the lease, epoch milliseconds of the service's clock. */
  readonly until: number;
  /** When the service looked at its clock for this answer. */
  readonly now: number;
  readonly provisional: boolean;
  readonly waiters: number;
}

/** Another owner holds the lock. */
export interface Held {
  readonly kind: 'held';
  readonly holder?: string;
  readonly principal?: string;
  readonly expiresInMs: number;
  readonly waiters: number;
  /** When to ask again: polling advice, not the end of the lease. */
  readonly retryAfterMs: number;
}

/** The caller stands in line, and keeps its place if it comes back in time. */
export interface StillWaiting extends Omit<Held, 'kind'> {
  readonly kind: 'still-waiting';
  /** From 1. */
  readonly position: number;
  /** How long the place is kept, milliseconds. */
  readonly resumeWithinMs: number;
}

/** The caller's place in line is gone; an acquisition starts anew with a fresh token. */
export interface PlaceLost {
  readonly kind: 'place-lost';
}

/** The caller gave up; it neither holds nor waits. */
export interface GaveUp {
  readonly kind: 'gave-up';
}

/** What an acquisition adds to its outcome, for whoever counts. */
export interface Waited {
  /** How long the caller was kept waiting, milliseconds; absent when it was answered at once. */
  readonly waitedMs?: number;
  /** The caller would have joined the line, and found as many in it as may stand there. */
  readonly lineFull?: true;
}

/** The owner token has had its lease; an acquisition needs a fresh one. */
export interface TokenSpent {
  readonly kind: 'token-spent';
}

/** The caller does not hold the lock (any more). */
export interface LeaseLost {
  readonly kind: 'lease-lost';
  readonly reason: 'superseded' | 'broken' | 'absent';
}

export interface Released {
  readonly kind: 'released';
  /** The same write gave the lock to the first in line. */
  readonly handedOver?: true;
  /** What the heir got, when there was one and nobody stood in line. */
  readonly heir?: Granted;
}

/** A lock as anyone may see it. */
export interface View {
  readonly lockId: string;
  readonly state: 'free' | 'held' | 'provisional' | 'over';
  readonly fencingToken?: number;
  readonly holder?: string;
  readonly principal?: string;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly expiresInMs?: number;
  readonly waiters: number;
}

export interface Inspected {
  readonly kind: 'inspected';
  readonly view: View;
}

export interface Listed {
  readonly kind: 'listed';
  readonly views: readonly View[];
  /** The lock id behind which the next page begins. */
  readonly next?: string;
}

/** The hold was taken from its holder: `holder` and `principal` say from whom. */
export interface Broken {
  readonly kind: 'broken';
  readonly holder?: string;
  readonly principal?: string;
  readonly view: View;
}

export interface HolderChanged {
  readonly kind: 'holder-changed';
  readonly view: View;
}

export interface NotHeld {
  readonly kind: 'not-held';
}

export type AttemptOutcome = Granted | Held | TokenSpent;
export type AcquireOutcome = (AttemptOutcome | StillWaiting | PlaceLost | GaveUp) & Waited;
export type RenewOutcome = Granted | LeaseLost;
export type ReleaseOutcome = Released | LeaseLost;
export type BreakOutcome = Broken | HolderChanged | NotHeld;
export type Outcome = AcquireOutcome | RenewOutcome | ReleaseOutcome | Inspected | Listed | BreakOutcome;

/** Shows a lock without its tokens. `item` may be missing: a lock nobody ever took is free. */
export function viewOf(lockId: string, item: LockItem | undefined, now: number, cut: number): View {
  if (item === undefined) return { lockId, state: 'free', waiters: 0 };
  const waiters = item.queue.length;
  const { owner, until = 0, since, holder, principal, fence: fencingToken } = item;
  if (owner === undefined) return { lockId, state: 'free', fencingToken, waiters };
  return {
    lockId,
    state: until <= cut ? 'over' : principal === undefined ? 'provisional' : 'held',
    fencingToken,
    ...(holder !== undefined && { holder }),
    ...(principal !== undefined && { principal }),
    ...(since !== undefined && { since }),
    until,
    expiresInMs: Math.max(0, until - now),
    waiters,
  };
}
