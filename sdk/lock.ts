import { IllegalArgumentError, UnsupportedOperationError } from './errors.ts';
import type { Holding } from './holding.ts';
import type { Lease } from './lease.ts';
import {
  type AcquireOptions,
  acquireRules,
  checkOptions,
  type HoldOptions,
  isAbortSignal,
  shown,
  withDefaults,
} from './options.ts';
import { type TimeUnit, toMilliseconds } from './time-unit.ts';
import { type LockBody, type WithLockArguments, withLockArguments } from './with-lock.ts';

/** What a handle works with: the holds of its owner, and its factory's leases. */
export interface LockParts {
  readonly holding: Holding;
  readonly acquire: (options: AcquireOptions) => Promise<Lease>;
  readonly withLock: <T>(options: AcquireOptions, body: LockBody<T>) => Promise<T>;
}

/**
 * One handle of a lock, with the contract of `java.util.concurrent.locks.Lock`.
 *
 * JavaScript has no threads, so the handle is the owner: create one per flow, where you lock. Two handles of one id
 * exclude one another, in one process as in many. A handle is not re-entrant: while it holds, its own `lock()` waits.
 * The handles of `LockFactory.asOwner()` are: they belong to one logical thread.
 *
 * Whatever talks to the service may also reject with `ForbiddenError`, and what acquires, with `ClockSkewError` where the
 * lock is embedded.
 *
 * @example
 * const lock = locks.createLock('orders-42');
 * await lock.lock();
 * try {
 *   await book(id, { fencingToken: lock.fencingToken });
 * } finally {
 *   await lock.unlock();
 * }
 */
export class Lock {
  /** Without the factory's prefix. */
  readonly lockId: string;
  readonly #options: HoldOptions;
  readonly #parts: LockParts;

  /** @internal Locks come from `createLock`. */
  constructor(lockId: string, options: HoldOptions, parts: LockParts) {
    this.lockId = lockId;
    this.#options = options;
    this.#parts = parts;
  }

  /**
   * Waits for the lock as long as it takes.
   *
   * @example
   * await lock.lock();
   * try { await book(id); } finally { await lock.unlock(); }
   * @throws LockServiceError when the service gave no answer at all for `unreachableAfterMs`
   * @throws InterruptedError when the factory is disposed
   * @throws LeaseLostError on a handle of `asOwner()`, while a hold that was lost is not unlocked at every level
   */
  async lock(): Promise<void> {
    await this.#take({});
  }

  /**
   * Waits for the lock as long as it takes, or until the signal aborts.
   *
   * @example await lock.lockInterruptibly(AbortSignal.timeout(5_000));
   * @throws InterruptedError when the signal aborts, or had before: then without any request; and as {@link lock}
   * @throws LockServiceError as {@link lock}
   * @throws IllegalArgumentError when it is not given an AbortSignal
   */
  async lockInterruptibly(signal: AbortSignal): Promise<void> {
    if (!isAbortSignal(signal)) {
      throw new IllegalArgumentError(`lockInterruptibly needs an AbortSignal, got ${shown(signal)}`);
    }
    await this.#take({ signal });
  }

  /**
   * `tryLock()`: one attempt, which never overtakes whoever waits. `tryLock(time, unit)` stands in line that long.
   *
   * @example
   * if (await lock.tryLock(5, 'seconds')) {
   *   try { await book(id); } finally { await lock.unlock(); }
   * }
   * @param time finite; up to 0 is one attempt
   * @param unit of `time`
   * @param options `signal` aborts the wait
   * @returns true: locked; false: another owner holds it. An error, never false, when that could not be found out
   * @throws LockServiceError without a usable answer, `tryLock()` in 3 tries or 3 s, `tryLock(time)` in its time
   * @throws InterruptedError when the signal aborts, or the factory is disposed
   * @throws IllegalArgumentError for a time, unit or option that is not valid
   */
  async tryLock(time = 0, unit: TimeUnit = 'milliseconds', options: { signal?: AbortSignal } = {}): Promise<boolean> {
    const waitMs = toMilliseconds(time, unit);
    checkOptions(options, { signal: acquireRules.signal });
    return this.#take({ ...options, waitMs });
  }

  /**
   * Gives the lock back: always in a `finally`. It is tried for up to 5 s; after a failure it may be called again.
   *
   * @example
   * await lock.lock();
   * try { await book(id); } finally { await lock.unlock(); }
   * @throws IllegalMonitorStateError when this handle holds nothing
   * @throws LeaseLostError when its lease was lost; the hold is gone from the handle then, a successor is not touched
   * @throws LockServiceError when the outcome is unknown; the call may be repeated
   */
  async unlock(): Promise<void> {
    await this.#parts.holding.giveBack();
  }

  /**
   * Never gives one.
   *
   * @throws UnsupportedOperationError always: conditions do not exist for distributed locks
   */
  newCondition(): never {
    throw new UnsupportedOperationError('a distributed lock has no conditions');
  }

  /**
   * Waits for the lock and gives its lease, an owner of its own: it is released by itself, not by `unlock()`.
   *
   * @example await using lease = await lock.acquire({ waitMs: 5_000 });
   * @throws LockNotAcquiredError when `waitMs` is over
   * @throws InterruptedError when the signal aborts, or the factory is disposed
   * @throws LockServiceError as {@link tryLock}
   * @throws IllegalArgumentError for an option that is not valid
   */
  async acquire(options: AcquireOptions = {}): Promise<Lease> {
    checkOptions(options, acquireRules);
    return this.#parts.acquire(withDefaults<AcquireOptions>(options, this.#options));
  }

  /**
   * `withLock(body)` or `withLock(options, body)`: runs `body` under the lock, as `LockFactory.withLock` does.
   *
   * @example await lock.withLock({ waitMs: 5_000 }, ({ fencingToken }) => book(id, { fencingToken }));
   * @throws LockNotAcquiredError when `waitMs` is over
   * @throws LeaseLostError when the body went well but the lease was lost
   * @throws InterruptedError and others as {@link acquire}; what the body throws, as it is
   */
  async withLock<T>(...args: WithLockArguments<T>): Promise<T> {
    const [options, body] = withLockArguments(args);
    checkOptions(options, acquireRules);
    return this.#parts.withLock(withDefaults<AcquireOptions>(options, this.#options), body);
  }

  /** Whether this handle holds the lock, by a comparison of the clocks now. */
  get isHeld(): boolean {
    return this.#parts.holding.lease?.isHeld ?? false;
  }

  /** The fencing token of this handle's hold; nothing when it holds nothing. */
  get fencingToken(): number | undefined {
    return this.isHeld ? this.#parts.holding.lease?.fencingToken : undefined;
  }

  /** Aborts with a LeaseLostError when this handle's hold is lost; nothing when it has none. */
  get signal(): AbortSignal | undefined {
    return this.#parts.holding.lease?.signal;
  }

  /** The lock id, and of a hold its fencing token and remaining milliseconds: never the owner token. */
  toJSON(): { lockId: string; fencingToken?: number; remainingMs?: number } {
    const { lockId } = this;
    return this.isHeld ? { ...this.#parts.holding.lease?.toJSON(), lockId } : { lockId };
  }

  /** For people. */
  toString(): string {
    const state = this.isHeld ? `locked by this handle, fencing token ${this.fencingToken}` : 'unlocked';
    return `Lock(${JSON.stringify(this.lockId)})[${state}]`;
  }

  /** For `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  async #take(options: AcquireOptions): Promise<boolean> {
    const held = await this.#parts.holding.take(withDefaults(options, this.#options));
    return held === undefined;
  }
}
