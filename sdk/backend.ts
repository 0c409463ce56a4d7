import type { HoldfastError, LockServiceError } from './errors.ts';
import type { LostReason } from './wire/problems.ts';

/** What every request names: the lock, and the secret of one acquisition. */
export interface TokenRequest {
  readonly lockId: string;
  readonly ownerToken: string;
}

export interface LeaseRequest extends TokenRequest {
  readonly leaseMs: number;
  readonly holder: string | undefined;
}

export interface AcquireRequest extends LeaseRequest {
  readonly waitMs: number;
}

/** The lock is the caller's; a provisional grant only once a renewal confirmed it. */
export interface Granted {
  readonly kind: 'granted';
  readonly fencingToken: number;
  readonly leaseMs: number;
  readonly provisional: boolean;
}

/** Another owner holds the lock. */
export interface Held {
  readonly kind: 'held';
  readonly holder: string | undefined;
  readonly expiresInMs: number;
  readonly retryAfterMs: number;
}

/**
 * What came of one request.
 *
 * - `spent`: this owner token is used up; start anew with a fresh one.
 * - `throttled`: nothing happened.
 * - `unknown`: it may have been applied or not; repeating it with the same token finds out. `answered`: something
 *   answered, so the service can be reached.
 * - `refused`: it was not applied, and repeating it will not help.
 */
export type Answer =
  | Granted
  | Held
  | { readonly kind: 'released' }
  | { readonly kind: 'lost'; readonly reason: LostReason }
  | { readonly kind: 'spent' }
  | { readonly kind: 'throttled'; readonly error: LockServiceError }
  | { readonly kind: 'unknown'; readonly answered: boolean; readonly error: LockServiceError }
  | { readonly kind: 'refused'; readonly error: HoldfastError };

/** What a lock backend can do: one request, one answer. It never rejects and never retries. */
export interface Backend {
  try(request: LeaseRequest, timeoutMs: number): Promise<Answer>;
  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer>;
  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer>;
  release(request: TokenRequest, timeoutMs: number): Promise<Answer>;
}
