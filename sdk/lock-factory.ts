import { type BreakResult, breakHold, inspectLock, listLocks } from './administration.ts';
import { type BreakOptions, breakRequestOf, type ListOptions, listRequestOf } from './administration-options.ts';
import type { Backend } from './backend.ts';
import { CleanUps } from './clean-ups.ts';
import { type Clocks, systemClocks } from './clocks.ts';
import { type CommonOptions, checkCommonOptions } from './common-options.ts';
import { type ConnectOptions, checkConnectOptions } from './connect-options.ts';
import type { Connection } from './connection.ts';
import { connectOptionsFromEnvironment } from './environment.ts';
import { type ExportedLease, leaseOf } from './exported-lease.ts';
import { HandleHolding } from './holding.ts';
import { apiBackend } from './http/api-backend.ts';
import type { Lease } from './lease.ts';
import { Leases } from './leases.ts';
import { Lock } from './lock.ts';
import { LockOwner } from './lock-owner.ts';
import { acquireRules, checkObject, checkOptions, type HoldOptions, holdRules, withDefaults } from './options.ts';
import { checkPrefixedLockId } from './prefix.ts';
import { PrefixedBackend } from './prefixed-backend.ts';
import { Turns } from './turns.ts';
import type { LockView } from './wire/lock-view.ts';
import { type WithLockArguments, withLockArguments } from './with-lock.ts';

/** What a factory is made of besides its backend. */
export interface FactoryOptions extends CommonOptions {
  readonly clocks?: Clocks;
  /** At least 0, below 1. */
  readonly random?: () => number;
}

const defaultUnreachableAfterMs = 30_000;
// When a process with thousands of locks was held up, all are due at once. Sent together, each would take longer than it
// may, be sent again, and leave less for the others, until none is renewed any more.
const renewalsAtOnce = 250;

/**
 * Makes locks that exclude one another by id, in this process and in all others that use the same service.
 *
 * @example
 * const locks = LockFactory.connect({ url: 'https://….execute-api.eu-central-1.amazonaws.com' });
 * const lock = locks.createLock('nightly-report');
 * await lock.lock();
 * try {
 *   await report();
 * } finally {
 *   await lock.unlock();
 * }
 */
export class LockFactory implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #leases: Leases;

  /** @internal Factories come from {@link connect} and {@link fromEnv}. */
  constructor(backend: Backend, options: FactoryOptions = {}) {
    const { clocks = systemClocks, random = Math.random, ...common } = options;
    checkCommonOptions(common);
    const { prefix = '', unreachableAfterMs = defaultUnreachableAfterMs, onEvent, ...defaults } = common;
    this.#prefix = prefix;
    const prefixed = prefix === '' ? backend : new PrefixedBackend(backend, prefix);
    this.#connection = {
      backend: prefixed,
      clocks,
      random,
      cleanUps: new CleanUps(prefixed, random),
      renewals: new Turns(renewalsAtOnce),
      unreachableAfterMs,
      listener: onEvent,
    };
    this.#leases = new Leases(this.#connection, defaults);
  }

  /**
   * A factory over the HTTPS API. No request is sent.
   *
   * @example const locks = LockFactory.connect({ url: 'https://….execute-api.eu-central-1.amazonaws.com', credentials });
   * @throws IllegalArgumentError for an option that is not valid, or a Region that nothing names
   */
  static connect(options: ConnectOptions): LockFactory {
    const addresses = checkConnectOptions(options);
    const { url: _url, urls: _urls, region: _region, credentials, authorization, traceparent, ...rest } = options;
    return new LockFactory(apiBackend(addresses, { credentials, authorization }, traceparent), rest);
  }

  /**
   * A factory over the API at `HOLDFAST_URL`, signed when the environment has AWS credentials
   * (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`). Several Regions, the preferred first:
   * `HOLDFAST_URL=eu-central-1=https://…,eu-west-1=https://…`
   *
   * @example const locks = LockFactory.fromEnv();
   * @param options go before what the environment says
   * @throws IllegalArgumentError when HOLDFAST_URL is missing or an option is not valid
   */
  static fromEnv(options: Partial<ConnectOptions> = {}): LockFactory {
    checkObject(options, 'fromEnv takes an object of options');
    const environment = connectOptionsFromEnvironment(options);
    return LockFactory.connect(withDefaults(options as ConnectOptions, environment));
  }

  /**
   * A handle of the lock with this id. Nothing is sent or written. One handle is one owner: create one per flow.
   *
   * @example const lock = locks.createLock('orders-42');
   * @param lockId well-formed text of 1 to 512 UTF-8 bytes, the factory's prefix counted, opaque
   * @throws IllegalArgumentError for an id or option that is not valid
   */
  createLock(lockId: string, options: HoldOptions = {}): Lock {
    checkPrefixedLockId(this.#prefix, lockId);
    checkOptions(options, holdRules);
    // A copy: what was checked is what counts.
    return new Lock(
      lockId,
      { ...options },
      {
        holding: new HandleHolding(lockId, (id, wanted) => this.#leases.contend(id, wanted), this.#connection.listener),
        acquire: (wanted) => this.#leases.acquire(lockId, wanted),
        withLock: (wanted, body) => this.#leases.runScoped(lockId, wanted, body),
      },
    );
  }

  /**
   * A logical thread, a new one for each call: its handles of one lock share their holds and re-enter, and need as many
   * `unlock()` as there were `lock()`. Two owners exclude one another, and the handles of {@link createLock}.
   *
   * @param label the `holder` of its locks unless their options say else: 1 to 256 UTF-8 bytes
   * @example const me = locks.asOwner('import of orders');
   * @throws IllegalArgumentError for a label that is not valid
   */
  asOwner(label?: string): LockOwner {
    checkOptions({ holder: label }, holdRules);
    return new LockOwner(
      {
        contend: (lockId, wanted) => this.#leases.contend(lockId, wanted),
        acquire: (lockId, wanted) => this.#leases.acquire(lockId, wanted),
        clocks: this.#connection.clocks,
        checkLockId: (lockId) => checkPrefixedLockId(this.#prefix, lockId),
      },
      label,
    );
  }

  /**
   * Waits for the lock, runs `body` under it, releases it, and gives what the body gave.
   *
   * The body's own error is what the caller sees. A body that went well under a lease that was lost rejects with
   * LeaseLostError.
   *
   * It is re-entrant by structure: a call for the same id inside the body, at any depth and after any `await`, runs under
   * the outer lease, with the same fencing token. Branches that the body forks exclude one another. The lock is released
   * when the body and what runs inside it have ended; a branch that comes later is an outsider.
   *
   * @example
   * await locks.withLock('orders-42', { waitMs: 5_000 }, async ({ fencingToken, signal, assertHeld }) => {
   *   const rows = await fetch(source, { signal });
   *   assertHeld();
   *   await store(rows, { fencingToken });
   * });
   * @throws LockNotAcquiredError when `waitMs` is over
   * @throws InterruptedError when the signal aborts, or the factory is disposed
   * @throws LeaseLostError when the body went well but the lease was lost
   * @throws LockServiceError when the service gave no usable answer; the body did not run
   * @throws IllegalArgumentError for an id, option or body that is not valid
   */
  async withLock<T>(lockId: string, ...args: WithLockArguments<T>): Promise<T> {
    const [options, body] = withLockArguments(args);
    checkPrefixedLockId(this.#prefix, lockId);
    checkOptions(options, acquireRules);
    return this.#leases.runScoped(lockId, options, body);
  }

  /**
   * Goes on with a lease that `lease.export()` gave up, perhaps in another process, over a factory with the same prefix:
   * for as long as it was taken for, as a new owner under the next fencing token, whoever waits. Only one can adopt a
   * text; a bound such as `maxHoldMs` begins anew.
   *
   * @param text what `lease.export()` gave
   * @example await using lease = await locks.adopt(event.lease);
   * @throws LeaseLostError when the lease is over, was released or broken, or another adopted it
   * @throws IllegalArgumentError for another text
   * @throws LockServiceError when no request was answered in time; it may be tried again
   * @throws InterruptedError when the factory is disposed
   */
  async adopt(text: string, options: Pick<HoldOptions, 'maxHoldMs' | 'renewal'> = {}): Promise<Lease> {
    return this.#leases.adopt(this.#exported(text, options), options);
  }

  /**
   * Goes on with a lease that `lease.export()` gave up, as the owner that it was: under the same fencing token, for what
   * is left of its time. No request is sent, and the text is not used up. It is for one owner whose processes come and
   * go, such as the steps of a script that share a file: they can repeat a renewal or release whose outcome is unknown.
   *
   * Nothing keeps two from attaching at once. They are one owner then: both hold, with one fencing token, and the release
   * of one takes the lock from the other. To hand a lease to another owner, use {@link adopt}, which also ends what is
   * attached.
   *
   * The clock of this machine says what is left: at most the lease, and a lease that is over is lost from the start, with
   * reason `expired`. `lease.renew()` makes it whole, `lease.export()` writes that down. `maxHoldMs` begins anew.
   *
   * @param text what `lease.export()` gave
   * @example
   * const lease = locks.attach(await readFile('lease', 'utf8'), { renewal: 'manual' });
   * await lease.renew();
   * await writeFile('lease', lease.export(), { mode: 0o600 });
   * @throws IllegalArgumentError for another text
   * @throws InterruptedError when the factory is disposed
   */
  attach(text: string, options: Pick<HoldOptions, 'maxHoldMs' | 'renewal'> = {}): Lease {
    return this.#leases.attach(this.#exported(text, options), options);
  }

  #exported(text: string, options: Pick<HoldOptions, 'maxHoldMs' | 'renewal'>): ExportedLease {
    const exported = leaseOf(text);
    checkPrefixedLockId(this.#prefix, exported.lockId);
    checkOptions(options, { maxHoldMs: holdRules.maxHoldMs, renewal: holdRules.renewal });
    return exported;
  }

  /**
   * Looks at a lock, strongly consistent; every id has an answer. A disposed factory looks, too: that acquires nothing.
   *
   * @example const { state, holder, fencingToken } = await locks.inspect('orders-42');
   * @param lockId well-formed text of 1 to 512 UTF-8 bytes, the factory's prefix counted
   * @throws IllegalArgumentError for an id that is not valid
   * @throws LockServiceError without a usable answer in 3 tries or 10 s
   * @throws ForbiddenError when the service does not authorize it
   */
  async inspect(lockId: string): Promise<LockView> {
    checkPrefixedLockId(this.#prefix, lockId);
    return inspectLock(this.#connection, lockId);
  }

  /**
   * Lists locks, those that are held unless `state` says else, in no particular order. A factory with a prefix lists the
   * locks under it, and shows their ids without it.
   *
   * It asks for one page after the other while the caller goes on, so a break of the loop ends it; each loop begins anew.
   * Eventually consistent: a lock that changes meanwhile may be shown as it was, or not at all. Needs the rights of an
   * administrator.
   *
   * @example for await (const { lockId, holder } of locks.list({ prefix: 'orders-' })) console.log(lockId, holder);
   * @throws IllegalArgumentError at once, for an option that is not valid
   * @throws LockServiceError from the loop, when a page got no usable answer in 3 tries or 10 s
   * @throws ForbiddenError from the loop, when the service does not authorize it
   */
  list(options: ListOptions = {}): AsyncIterable<LockView> {
    const firstPage = listRequestOf(options, this.#prefix);
    return { [Symbol.asyncIterator]: () => listLocks(this.#connection, firstPage) };
  }

  /**
   * Takes a lock from the holder that a look at it showed, and gives it to the first who waits. The holder learns of it
   * at its next renewal; until then it may go on working, so let the resource refuse its fencing token. Needs the rights
   * of an administrator; the log of the service says who broke which hold, and why.
   *
   * @example
   * const { fencingToken } = await locks.inspect('orders-42');
   * if (fencingToken) await locks.break('orders-42', { fencingToken, note: 'its host is gone' });
   * @returns what came of it, see {@link BreakResult}: `holder-changed` and `not-held` are no errors
   * @throws IllegalArgumentError for an id or option that is not valid
   * @throws LockServiceError without a usable answer in 3 tries or 10 s; `outcomeUnknown`: it may have been applied
   * @throws ForbiddenError when the service does not authorize it
   */
  async break(lockId: string, options: BreakOptions): Promise<BreakResult> {
    checkPrefixedLockId(this.#prefix, lockId);
    return breakHold(this.#connection, breakRequestOf(lockId, options));
  }

  /** Whether it was disposed: then it acquires nothing any more. Looking, listing and breaking go on. */
  get isDisposed(): boolean {
    return this.#leases.isDisposed;
  }

  /** @internal How many locks somebody here holds or wants. */
  get lineCount(): number {
    return this.#leases.lineCount;
  }

  /**
   * Ends the factory: it acquires nothing any more, waits end with InterruptedError, and what is held may be given back
   * for `timeoutMs` milliseconds (default 5,000, 0 or more); what is still held then is lost to its holders, with reason
   * `disposed`, and released. Waits for an adoption that is under way, at most 7 s, and for clean-ups that run in the
   * background, at most 25 s.
   *
   * @example const taken = await locks.dispose({ timeoutMs: 10_000 });
   * @returns the ids of the locks that it had to take from their holders
   * @throws IllegalArgumentError for another `timeoutMs` or option
   */
  async dispose(options: { timeoutMs?: number | undefined } = {}): Promise<string[]> {
    checkOptions(options, { timeoutMs: acquireRules.waitMs });
    const { timeoutMs = 5_000 } = options;
    const taken = await this.#leases.dispose(timeoutMs);
    this.#connection.backend.close();
    return taken;
  }

  /**
   * {@link dispose}, for `await using`.
   *
   * @throws nothing: its time is the default
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}
