import type { Backend, Held } from './backend.ts';
import { CleanUps } from './clean-ups.ts';
import { type Clocks, systemClocks } from './clocks.ts';
import { type ConnectOptions, checkConnectOptions } from './connect-options.ts';
import type { Connection } from './connection.ts';
import { defaultHolder } from './default-holder.ts';
import { Disposal } from './disposal.ts';
import { connectOptionsFromEnvironment } from './environment.ts';
import { IllegalArgumentError, LockNotAcquiredError } from './errors.ts';
import { HttpBackend } from './http/http-backend.ts';
import { noSigner, regionOf, SigV4Signer } from './http/signer.ts';
import { Lease } from './lease.ts';
import { LocalLine } from './local-line.ts';
import { Lock } from './lock.ts';
import {
  type AcquireOptions,
  acquireOptionNames,
  checkLockId,
  checkObject,
  checkOptions,
  type HoldOptions,
  holdOptionNames,
  shown,
  withDefaults,
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
  // One line for each lock that somebody here holds or wants.
  readonly #lines = new Map<string, LocalLine>();
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
    checkObject(options, 'fromEnv takes an object of options');
    const environment = connectOptionsFromEnvironment(options.url);
    return LockFactory.connect(withDefaults(options as ConnectOptions, environment));
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

  /** @internal How many locks somebody here holds or wants. */
  get lineCount(): number {
    return this.#lines.size;
  }

  /**
   * Ends the factory: it acquires nothing any more, waits end with InterruptedError, and what is held may be given back
   * for `timeoutMs` milliseconds (default 5,000, 0 or more); what is still held then is released. Waits for clean-ups
   * that run in the background, at most 25 s.
   *
   * @returns the ids of the locks that it had to release itself
   */
  async dispose(options: { timeoutMs?: number } = {}): Promise<string[]> {
    const rule = 'dispose takes { timeoutMs }, a finite number of milliseconds, 0 or more';
    checkObject(options, rule);
    const { timeoutMs = 5_000 } = options;
    if (!Number.isFinite(timeoutMs) || timeoutMs < 0) {
      throw new IllegalArgumentError(`${rule}, got ${shown(timeoutMs)}`);
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
    // What could not be released is at least not renewed any more.
    for (const lease of left) lease.abandon();
    await this.#connection.cleanUps.settled();
    this.#connection.backend.close();
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
    } = withDefaults<HoldOptions>(options, this.#defaults);
    const { waitMs = Number.POSITIVE_INFINITY, signal } = options;
    const request = { leaseMs, holder, maxHoldMs, waitMs, signal, disposal: this.#disposal };
    const line = this.#lineOf(lockId);
    try {
      return await line.enter(request);
    } finally {
      this.#forgetIdle(lockId);
    }
  }

  #lineOf(lockId: string): LocalLine {
    let line = this.#lines.get(lockId);
    if (!line) {
      line = new LocalLine(this.#connection, lockId, {
        onLease: (lease) => this.#leases.add(lease),
        onEnd: (lease) => this.#forget(lease),
      });
      this.#lines.set(lockId, line);
    }
    return line;
  }

  #forgetIdle(lockId: string): void {
    if (this.#lines.get(lockId)?.isIdle) this.#lines.delete(lockId);
  }

  #forget(lease: Lease): void {
    this.#leases.delete(lease);
    this.#forgetIdle(lease.lockId);
    if (this.#leases.size === 0) this.#lastLeaseEnded();
  }
}
