import type { HoldfastError, LockServiceError } from './errors.ts';
import type { LockView } from './wire/lock-view.ts';
import type { LostReason } from './wire/problems.ts';

/** What every request names: the lock, and the secret of one acquisition. */
export interface TokenRequest {
  readonly lockId: string;
  readonly ownerToken: string;
}

/** Who is to have a lease, and for how long. */
export interface Heir {
  readonly ownerToken: string;
  readonly leaseMs: number;
  readonly holder: string | undefined;
}

export interface LeaseRequest extends TokenRequest, Heir {}

export interface AcquireRequest extends LeaseRequest {
  readonly waitMs: number;
  /** Whether this token is known to stand in line, and comes back to its place. */
  readonly resume: boolean;
  /**
   * Aborts when nobody waits for the answer any more. The token is released besides: a backend that cannot stop what it
   * sent does nothing about it.
   */
  readonly signal: AbortSignal;
}

export interface ReleaseRequest extends TokenRequest {
  /** Whether somebody stood in line at the last answer. */
  readonly expectWaiters: boolean;
  /** Who gets the lock in the same write when nobody stands in line. */
  readonly heir?: Heir | undefined;
  /** Whether the heir gets it whoever stands in line: it is the holder itself, which goes on under another token. */
  readonly heirFirst?: boolean;
}

/** The lock is the caller's; a provisional grant only once a renewal confirmed it. */
export interface Granted {
  readonly kind: 'granted';
  readonly fencingToken: number;
  readonly leaseMs: number;
  readonly provisional: boolean;
  /** How many stand in line. */
  readonly waiters: number;
}

/** Another owner holds the lock. */
export interface Held {
  readonly kind: 'held';
  readonly holder: string | undefined;
  readonly expiresInMs: number;
  readonly retryAfterMs: number;
  /** Place in line, from 1, when the token stands in it and the answer said where. */
  readonly position?: number | undefined;
}

/** The token stands in line, and its place is kept for a few seconds. */
export interface Waiting extends Omit<Held, 'kind'> {
  readonly kind: 'waiting';
}

/** The token neither holds nor waits any more. */
export interface Released {
  readonly kind: 'released';
  /** The heir's grant, when there was an heir and nobody stood in line. */
  readonly heir?: Granted | undefined;
}

/**
 * A request that was not answered by the rules of the lock.
 *
 * - `throttled`: nothing happened.
 * - `unknown`: it may have been applied or not; repeating it with the same token finds out. `answered`: something
 *   answered, so the service can be reached.
 * - `refused`: it was not applied, and repeating it will not help.
 */
export type Failed =
  | { readonly kind: 'throttled'; readonly error: LockServiceError }
  | { readonly kind: 'unknown'; readonly answered: boolean; readonly error: LockServiceError }
  | { readonly kind: 'refused'; readonly error: HoldfastError };

/** What came of one request. `spent`: this owner token is used up, or its place in line is gone; start anew. */
export type Answer =
  | Granted
  | Held
  | Waiting
  | Released
  | { readonly kind: 'lost'; readonly reason: LostReason }
  | { readonly kind: 'spent' }
  | Failed;

/** A lock as anyone may see it. */
export interface Viewed {
  readonly kind: 'viewed';
  readonly view: LockView;
}

export interface ListRequest {
  /** Only locks whose id begins with this; '': all. */
  readonly prefix: string;
  readonly state: 'held' | 'over' | 'free' | 'all';
  /** How many items one page looks at, 1 to 1,000. */
  readonly limit: number;
  /** Where the page before ended; nothing: the first page. */
  readonly cursor: string | undefined;
}

/** One page of locks, perhaps an empty one; `cursor` is there while there is more to look at. */
export interface Listed {
  readonly kind: 'listed';
  readonly views: readonly LockView[];
  readonly cursor: string | undefined;
}

export interface BreakRequest {
  readonly lockId: string;
  /** Of the hold that is to be broken, and no other. */
  readonly fencingToken: number;
  /** Why, for the service's log. */
  readonly note: string | undefined;
}

/** What came of a break: the lock as it is after it, or why there was nothing to break. */
export type BreakAnswer =
  | { readonly kind: 'broken'; readonly view: LockView }
  | { readonly kind: 'holder-changed'; readonly view: LockView }
  | { readonly kind: 'not-held' };

/** What a lock backend can do: one request, one answer. It never rejects and never retries. */
export interface Backend {
  try(request: LeaseRequest, timeoutMs: number): Promise<Answer>;
  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer>;
  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer>;
  release(request: ReleaseRequest, timeoutMs: number): Promise<Answer>;
  inspect(lockId: string, timeoutMs: number): Promise<Viewed | Failed>;
  list(request: ListRequest, timeoutMs: number): Promise<Listed | Failed>;
  break(request: BreakRequest, timeoutMs: number): Promise<BreakAnswer | Failed>;
  /**
   * Gives back what the backend keeps open, such as sockets. No lock is taken any more; a later look, list or break opens
   * what it needs, and it can be closed again.
   */
  close(): void;
}
