import { Acquisition, type Connection } from './acquisition.ts';
import type { Backend, Held } from './backend.ts';
import { CleanUps } from './clean-ups.ts';
import { type Clocks, systemClocks } from './clocks.ts';
import { type ConnectOptions, checkConnectOptions } from './connect-options.ts';
import { defaultHolder } from './default-holder.ts';
import { Disposal } from './disposal.ts';
import { connectOptionsFromEnvironment } from './environment.ts';
import { IllegalArgumentError, LockNotAcquiredError } from './errors.ts';
import { HttpBackend } from './http/http-backend.ts';
import { noSigner, regionOf, SigV4Signer } from './http/signer.ts';
import { Lease } from './lease.ts';
import { Lock } from './lock.ts';
import {
  type AcquireOptions,
  acquireOptionNames,
  checkLockId,
  checkOptions,
  type HoldOptions,
  holdOptionNames,
} from './options.ts';
import { pause } from './pause.ts';
import { limits } from './wire/limits.ts';
import { runUnderLease, type WithLockArguments, withLockArguments } from './with-lock.ts';

/** What a factory is made of besides its backend. */
export interface FactoryOptions extends HoldOptions {
  readonly unreachableAfterMs?: number;
  readonly clocks?: Clocks;
  /** At least 0, below 1. */
  readonly random?: () => number;
}

const defaultUnreachableAfterMs = 30_000;

/**
 * Makes locks that exclude one another by id, in this process and in all others that use the same service.
 *
 * @example
 * const locks = LockFactory.connect({ url: 'https://….execute-api.eu-central-1.amazonaws.com' });
 * const lock = locks.createLock('nightly-report');
 * await lock.lock();
 * try { await report(); } finally { await lock.unlock(); }
 */
export class LockFactory implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #defaults: HoldOptions;
  readonly #leases = new Set<Lease>();
  readonly #disposal = new Disposal();
  #lastLeaseEnded: () => void = () => undefined;

  /** @internal Factories come from {@link connect} and {@link fromEnv}. */
  constructor(backend: Backend, options: FactoryOptions = {}) {
    const { clocks = systemClocks, random = Math.random, unreachableAfterMs, ...defaults } = options;
    this.#defaults = defaults;
    this.#connection = {
      backend,
      clocks,
      random,
      cleanUps: new CleanUps(backend, random),
      unreachableAfterMs: unreachableAfterMs ?? defaultUnreachableAfterMs,
    };
  }

  /**
   * A factory over the HTTPS API. No request is sent.
   *
   * @throws IllegalArgumentError for an option that is not valid, or a Region that nothing names
   */
  static connect(options: ConnectOptions): LockFactory {
    const url = checkConnectOptions(options);
    const { url: _url, credentials, region, ...rest } = options;
    const signer = credentials ? new SigV4Signer(credentials, regionOf(url, region)) : noSigner;
    return new LockFactory(new HttpBackend(url, signer), rest);
  }

  /**
   * A factory over the API at `HOLDFAST_URL`, signed when the environment has AWS credentials
   * (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`).
   *
   * @param options go before what the environment says
   * @throws IllegalArgumentError when HOLDFAST_URL is missing or an option is not valid
   */
  static fromEnv(options: Partial<ConnectOptions> = {}): LockFactory {
    return LockFactory.connect({ ...connectOptionsFromEnvironment(), ...options });
  }

  /**
   * A handle of the lock with this id. Nothing is sent or written. One handle is one owner: create one per flow.
   *
   * @param lockId well-formed text of 1 to 512 UTF-8 bytes, opaque
   * @throws IllegalArgumentError for an id or option that is not valid
   */
  createLock(lockId: string, options: HoldOptions = {}): Lock {
    checkLockId(lockId);
    checkOptions(options, holdOptionNames);
    return new Lock(this, lockId, options);
  }

  /**
   * Waits for the lock, runs `body` under it, releases it, and gives what the body gave.
   *
   * The body's own error is what the caller sees. A body that went well under a lease that was lost rejects with
   * LeaseLostError. It does not re-enter: a nested call for the same id waits for the outer one.
   *
   * @example await locks.withLock('orders-42', async ({ fencingToken, signal }) => { … });
   * @throws LockNotAcquiredError when `waitMs` is over
   * @throws InterruptedError when the signal aborts, or the factory is disposed
   * @throws LeaseLostError when the body went well but the lease was lost
   */
  async withLock<T>(lockId: string, ...args: WithLockArguments<T>): Promise<T> {
    const [options, body] = withLockArguments(args);
    return runUnderLease(await this.acquire(lockId, options), body);
  }

  /** @internal A lease, for `lock.acquire()`. */
  async acquire(lockId: string, options: AcquireOptions): Promise<Lease> {
    const outcome = await this.#acquire(lockId, options);
    if (outcome instanceof Lease) return outcome;
    throw new LockNotAcquiredError(lockId, outcome.holder, outcome.expiresInMs);
  }

  /** @internal A lease, or nothing when the lock did not come free in time, for `lock.tryLock()`. */
  async tryAcquire(lockId: string, options: AcquireOptions): Promise<Lease | undefined> {
    const outcome = await this.#acquire(lockId, options);
    return outcome instanceof Lease ? outcome : undefined;
  }

  /**
   * Ends the factory: it acquires nothing any more, waits end with InterruptedError, and what is held may be given back
   * for `timeoutMs` milliseconds (default 5,000, 0 or more); what is still held then is released. Waits for clean-ups
   * that run in the background, at most 25 s.
   *
   * @returns the ids of the locks that it had to release itself
   */
  async dispose({ timeoutMs = 5_000 }: { timeoutMs?: number } = {}): Promise<string[]> {
    if (!(Number.isFinite(timeoutMs) && timeoutMs >= 0)) {
      throw new IllegalArgumentError(`timeoutMs must be a finite number of milliseconds, 0 or more, got ${timeoutMs}`);
    }
    this.#disposal.dispose();
    if (timeoutMs > 0 && this.#leases.size > 0) {
      const ended = new Promise<void>((resolve) => {
        this.#lastLeaseEnded = resolve;
      });
      await pause(timeoutMs, ended);
    }
    const left = [...this.#leases];
    await Promise.allSettled(left.map((lease) => lease.release()));
    await this.#connection.cleanUps.settled();
    return left.map((lease) => lease.lockId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #acquire(lockId: string, options: AcquireOptions): Promise<Lease | Held> {
    checkLockId(lockId);
    checkOptions(options, acquireOptionNames);
    const {
      leaseMs = limits.leaseMs.default,
      holder = defaultHolder(),
      maxHoldMs = Number.POSITIVE_INFINITY,
    } = {
      ...this.#defaults,
      ...options,
    };
    const { waitMs = Number.POSITIVE_INFINITY, signal } = options;
    const request = { lockId, leaseMs, holder, waitMs, signal, disposal: this.#disposal };
    const outcome = await new Acquisition(this.#connection, request).run();
    if (outcome.kind === 'held') return outcome;
    const lease: Lease = new Lease(
      this.#connection,
      { lockId, leaseMs, holder, maxHoldMs, onEnd: () => this.#forget(lease) },
      outcome,
    );
    this.#leases.add(lease);
    return lease;
  }

  #forget(lease: Lease): void {
    this.#leases.delete(lease);
    if (this.#leases.size === 0) this.#lastLeaseEnded();
  }
}
