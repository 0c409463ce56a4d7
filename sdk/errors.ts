import type { LostReason as ServiceLostReason } from './wire/problems.ts';

/**
 * The root of every error that this SDK throws or rejects with. No message holds an owner token or credentials.
 *
 * @example
 * try {
 *   await lock.lock();
 * } catch (error) {
 *   if (error instanceof HoldfastError) alarm(`${error.code}: ${error.message}`);
 *   throw error;
 * }
 */
export abstract class HoldfastError extends Error {
  /** Which error it is: literal and stable, also for an error of another copy of this package in the process. */
  abstract readonly code: string;
}

/**
 * The caller does not hold the lock that it wants to give back.
 *
 * @example
 * await locks.createLock('orders-42').lock();
 * await locks.createLock('orders-42').unlock(); // rejects with it: another handle is another owner
 */
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
 * - `disposed`: the factory was disposed, and the hold taken from its holder.
 */
export type LostReason = ServiceLostReason | 'expired' | 'unreachable' | 'max-hold' | 'disposed';

/**
 * The lease was held and is not any more. Another owner may be in the critical section.
 *
 * @example
 * await lock.unlock().catch((error) => {
 *   if (error instanceof LeaseLostError) alarm(`${error.lockId} was lost: ${error.reason}`);
 *   throw error;
 * });
 */
export class LeaseLostError extends IllegalMonitorStateError {
  override name = 'LeaseLostError';
  override readonly code = 'lease-lost' as const;

  /** Made by the SDK; yours to make in tests. */
  constructor(
    /** Without the factory's prefix. */
    readonly lockId: string,
    /** Why it was lost. */
    readonly reason: LostReason,
  ) {
    super(`the lease of lock ${JSON.stringify(lockId)} is lost: ${reason}`);
  }
}

/**
 * The lock was held by another owner for all the time given. Nothing is left of the attempt.
 *
 * @example
 * await locks.withLock('report', { waitMs: 0 }, report).catch((error) => {
 *   if (!(error instanceof LockNotAcquiredError)) throw error; // else somebody does it already
 * });
 */
export class LockNotAcquiredError extends HoldfastError {
  override name = 'LockNotAcquiredError';
  readonly code = 'lock-not-acquired' as const;

  /** Made by the SDK; yours to make in tests. */
  constructor(
    /** Without the factory's prefix. */
    readonly lockId: string,
    /** Label of the holder at the last look, untrusted; absent when it gave none. */
    readonly holder: string | undefined,
    /** What was left of its lease then, milliseconds, unless it renews. */
    readonly expiresInMs: number,
  ) {
    super(`lock ${JSON.stringify(lockId)} is held by another owner and did not come free in time`);
  }
}

/**
 * The wait was aborted by the caller's signal, or the factory was disposed. The caller holds nothing.
 *
 * @example
 * await lock.lockInterruptibly(AbortSignal.timeout(5_000)).catch((error) => {
 *   if (error instanceof InterruptedError) alarm('not locked within 5 s');
 *   throw error;
 * });
 */
export class InterruptedError extends HoldfastError {
  override name = 'InterruptedError';
  readonly code = 'interrupted' as const;
}

/**
 * The operation does not exist for distributed locks.
 *
 * @example lock.newCondition(); // throws it
 */
export class UnsupportedOperationError extends HoldfastError {
  override name = 'UnsupportedOperationError';
  readonly code = 'unsupported-operation' as const;
}

/**
 * An argument is not what the method, or the service, takes. The message says what is allowed and, unless it
 * may be a secret, what was got.
 *
 * @example locks.createLock(''); // throws it: a lock id has 1 to 512 UTF-8 bytes
 */
export class IllegalArgumentError extends HoldfastError {
  override name = 'IllegalArgumentError';
  readonly code = 'illegal-argument' as const;
}

/**
 * The service or its gateway does not authorize the caller.
 *
 * @example
 * await lock.tryLock().catch((error) => {
 *   if (error instanceof ForbiddenError) alarm(`no right to use ${lock.lockId}`);
 *   throw error;
 * });
 */
export class ForbiddenError extends HoldfastError {
  override name = 'ForbiddenError';
  readonly code = 'forbidden' as const;
}

/**
 * The clock of this process is so far from DynamoDB's that locks would not exclude: nothing is acquired until it is
 * right again. (Embedded only: over HTTP the service's clock counts.)
 *
 * @example
 * await lock.lock().catch((error) => {
 *   if (error instanceof ClockSkewError) alarm(`the clock is off by ${error.offsetMs} ms`);
 *   throw error;
 * });
 */
export class ClockSkewError extends HoldfastError {
  override name = 'ClockSkewError';
  readonly code = 'clock-skew' as const;

  /** Made by the SDK; yours to make in tests. */
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

/**
 * The service could not be reached, failed, or answered what this SDK does not understand. Never read it as "held by
 * another": whether the lock is held is not known.
 *
 * @example
 * await lock.unlock().catch(async (error) => {
 *   if (!(error instanceof LockServiceError)) throw error;
 *   await lock.unlock(); // once more: a repeat does no harm
 * });
 */
export class LockServiceError extends HoldfastError {
  override name = 'LockServiceError';
  readonly code = 'lock-service' as const;
  /** Whether the request may have been applied all the same. */
  readonly outcomeUnknown: boolean;
  /** The service's id of the request, to look up in its log. */
  readonly requestId: string | undefined;

  /** Made by the SDK; yours to make in tests. */
  constructor(message: string, options: { outcomeUnknown: boolean; requestId?: string | undefined; cause?: unknown }) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.outcomeUnknown = options.outcomeUnknown;
    this.requestId = options.requestId;
  }
}
