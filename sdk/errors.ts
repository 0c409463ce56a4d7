import type { LostReason as ServiceLostReason } from './wire/problems.ts';

/** The root of every error that this SDK rejects with; `code` is literal and stable. */
export abstract class HoldfastError extends Error {
  abstract readonly code: string;
}

/** The caller does not hold the lock that it wants to give back. */
export class IllegalMonitorStateError extends HoldfastError {
  override name = 'IllegalMonitorStateError';
  readonly code: 'illegal-monitor-state' | 'lease-lost' = 'illegal-monitor-state';
}

/**
 * Why a lease was lost.
 *
 * - `superseded`, `broken`, `absent`: the service said so: the lock moved on, an administrator took it, nothing is stored.
 * - `expired`: the deadline passed without a renewal, for example while the process was frozen.
 * - `unreachable`: the deadline passed while renewals got no usable answer.
 * - `max-hold`: the hold reached `maxHoldMs`.
 */
export type LostReason = ServiceLostReason | 'expired' | 'unreachable' | 'max-hold' | 'disposed';

/** The lease was held and is not any more. Another owner may be in the critical section. */
export class LeaseLostError extends IllegalMonitorStateError {
  override name = 'LeaseLostError';
  override readonly code = 'lease-lost' as const;

  constructor(
    readonly lockId: string,
    readonly reason: LostReason,
  ) {
    super(`the lease of lock ${JSON.stringify(lockId)} is lost: ${reason}`);
  }
}

/** The lock could not be had within the time given. */
export class LockNotAcquiredError extends HoldfastError {
  override name = 'LockNotAcquiredError';
  readonly code = 'lock-not-acquired' as const;

  constructor(
    readonly lockId: string,
    /** Label of the holder at the last look, untrusted; absent when it gave none. */
    readonly holder: string | undefined,
    /** What was left of its lease then, milliseconds, unless it renews. */
    readonly expiresInMs: number,
  ) {
    super(`lock ${JSON.stringify(lockId)} is held by another owner and did not come free in time`);
  }
}

/** The wait was aborted by the caller's signal, or the factory was disposed. */
export class InterruptedError extends HoldfastError {
  override name = 'InterruptedError';
  readonly code = 'interrupted' as const;
}

/** The operation does not exist for distributed locks. */
export class UnsupportedOperationError extends HoldfastError {
  override name = 'UnsupportedOperationError';
  readonly code = 'unsupported-operation' as const;
}

/** An argument is not what the method takes. Nothing was sent. */
export class IllegalArgumentError extends HoldfastError {
  override name = 'IllegalArgumentError';
  readonly code = 'illegal-argument' as const;
}

/** The service or its gateway does not authorize the caller. */
export class ForbiddenError extends HoldfastError {
  override name = 'ForbiddenError';
  readonly code = 'forbidden' as const;
}

/**
 * The clock of this process is so far from DynamoDB's that locks would not exclude: nothing is acquired until it is
 * right again. (Embedded only: over HTTP the service's clock counts.)
 */
export class ClockSkewError extends HoldfastError {
  override name = 'ClockSkewError';
  readonly code = 'clock-skew' as const;

  constructor(
    /** How far the clock is off at the least, milliseconds: above 0 it is ahead, below 0 behind. */
    readonly offsetMs: number,
    /** What is allowed, milliseconds. */
    readonly clockSkewMs: number,
  ) {
    const off = `${Math.abs(offsetMs)} ms ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
    super(
      `the clock of this process is at least ${off} DynamoDB's, ${clockSkewMs} ms are allowed: synchronise it (NTP); no lock is acquired until then`,
    );
  }
}

/** The service could not be reached, failed, or answered what this SDK does not understand. */
export class LockServiceError extends HoldfastError {
  override name = 'LockServiceError';
  readonly code = 'lock-service' as const;
  /** Whether the request may have been applied all the same. */
  readonly outcomeUnknown: boolean;
  /** The service's id of the request, to look up in its log. */
  readonly requestId: string | undefined;

  constructor(message: string, options: { outcomeUnknown: boolean; requestId?: string | undefined; cause?: unknown }) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.outcomeUnknown = options.outcomeUnknown;
    this.requestId = options.requestId;
  }
}
