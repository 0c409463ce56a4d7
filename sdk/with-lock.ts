import { IllegalArgumentError, LeaseLostError } from './errors.ts';
import type { Lease } from './lease.ts';
import type { AcquireOptions } from './options.ts';
import { longestTimerMs } from './pause.ts';
import { warn } from './warning.ts';

/** What the body of `withLock` sees of its lease. Releasing is not the body's business. */
export type LockScope = Pick<Lease, 'lockId' | 'fencingToken' | 'signal' | 'isHeld' | 'remainingMs' | 'assertHeld'>;

/** What runs under a lock. Its result, awaited, is the caller's. */
export type LockBody<T> = (scope: LockScope) => T | Promise<T>;

/** The two forms of `withLock`: with options, and without. */
export type WithLockArguments<T> = [body: LockBody<T>] | [options: AcquireOptions, body: LockBody<T>];

/** What is given back when the body is through. */
export interface Releasable {
  release(): Promise<void>;
  /** After a release that failed: nobody will try again. */
  abandon(): void;
}

/** Sorts out the two forms of `withLock`. */
export function withLockArguments<T>(args: WithLockArguments<T>): [AcquireOptions, LockBody<T>] {
  const [options, body] = args.length === 1 ? [{}, args[0]] : args;
  if (typeof body !== 'function') throw new IllegalArgumentError('withLock needs a function to run under the lock');
  return [options, body];
}

/**
 * Runs a body under a lease and releases it.
 *
 * The body's own error is what the caller sees; a release that failed as well is attached to it as `releaseError`. A
 * body that went well under a lease that was lost rejects with LeaseLostError: another owner may have worked at the
 * same time. A body that went well whose release got no answer counts as done; a process warning says so, and the lease
 * ends by itself.
 */
export async function runUnderLease<T>(lease: Lease, body: LockBody<T>, hold: Releasable = lease): Promise<T> {
  let result: T;
  // Somebody awaits the body, so the process stays, whatever the body itself waits for.
  const alive = setInterval(() => undefined, longestTimerMs);
  try {
    result = await body(lease);
  } catch (error) {
    const releaseError = await releaseErrorOf(hold);
    if (releaseError && Object.isExtensible(error)) {
      Object.defineProperty(error as object, 'releaseError', { value: releaseError, configurable: true });
    }
    throw error;
  } finally {
    clearInterval(alive);
  }
  const releaseError = await releaseErrorOf(hold);
  if (releaseError instanceof LeaseLostError) throw releaseError;
  if (releaseError)
    warn(
      'holdfast-release-failed',
      `lock ${JSON.stringify(lease.lockId)} was not released for sure: ${releaseError.message}`,
    );
  return result;
}

async function releaseErrorOf(hold: Releasable): Promise<Error | undefined> {
  try {
    await hold.release();
    return undefined;
  } catch (error) {
    // Nobody will release it any more, so nobody may renew it either.
    hold.abandon();
    return error as Error;
  }
}
