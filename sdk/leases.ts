import { adopt } from './adoption.ts';
import type { Held } from './backend.ts';
import { elapsedMs } from './clocks.ts';
import type { Connection } from './connection.ts';
import { interrupted } from './contender.ts';
import { defaultHolder } from './default-holder.ts';
import { Disposal } from './disposal.ts';
import { type HoldfastError, LockNotAcquiredError } from './errors.ts';
import { type Emit, emitterHere } from './events.ts';
import type { ExportedLease } from './exported-lease.ts';
import { type Acquired, Lease } from './lease.ts';
import { LocalLine } from './local-line.ts';
import { type AcquireOptions, type HoldOptions, withDefaults } from './options.ts';
import { pause } from './pause.ts';
import { Scope } from './scope.ts';
import { limits } from './wire/limits.ts';
import { type LockBody, runUnderLease } from './with-lock.ts';

/** The leases of one factory, and the flows of this process that want one. Options and ids were checked before. */
export class Leases {
  readonly #connection: Connection;
  readonly #defaults: HoldOptions;
  // Asked for once, when it is wanted: naming the host is a call of the system, and some runtimes ask whether it may be.
  #defaultHolder: { readonly label: string | undefined } | undefined;
  // One line for each lock that somebody here holds or wants.
  readonly #lines = new Map<string, LocalLine>();
  readonly #leases = new Set<Lease>();
  // What is adopted just now.
  readonly #adoptions = new Set<Promise<Lease>>();
  readonly #disposal = new Disposal();
  readonly #onLastLeaseEnded = new Set<() => void>();

  constructor(connection: Connection, defaults: HoldOptions) {
    this.#connection = connection;
    this.#defaults = defaults;
  }

  /** Whether nothing is acquired any more. */
  get isDisposed(): boolean {
    return this.#disposal.disposed;
  }

  /** How many locks somebody here holds or wants. */
  get lineCount(): number {
    return this.#lines.size;
  }

  /** Stands in the line of this process: the lease, or who holds the lock when the time is over. */
  async contend(lockId: string, options: AcquireOptions): Promise<Lease | Held> {
    const { waitMs = Number.POSITIVE_INFINITY, signal } = options;
    const emit = emitterHere(this.#connection.listener);
    const request = { ...this.#holdOptions(options), waitMs, signal, disposal: this.#disposal, emit };
    const line = this.#lineOf(lockId);
    const { clocks } = this.#connection;
    const enteredAt = clocks.now();
    const notAcquired = (error?: HoldfastError) =>
      emit({ type: 'notAcquired', lockId, waitedMs: Math.round(elapsedMs(enteredAt, clocks)), error });
    try {
      const outcome = await line.enter(request);
      if (!(outcome instanceof Lease)) notAcquired();
      return outcome;
    } catch (error) {
      notAcquired(error as HoldfastError);
      throw error;
    } finally {
      this.#forgetIdle(lockId);
    }
  }

  /** @throws LockNotAcquiredError when the time is over */
  async acquire(lockId: string, options: AcquireOptions): Promise<Lease> {
    const outcome = await this.contend(lockId, options);
    if (outcome instanceof Lease) return outcome;
    throw new LockNotAcquiredError(lockId, outcome.holder, outcome.expiresInMs);
  }

  /** Runs a body under a lease of its own, or under that of the scope around the caller. */
  async runScoped<T>(lockId: string, options: AcquireOptions, body: LockBody<T>): Promise<T> {
    const { waitMs = Number.POSITIVE_INFINITY, signal } = options;
    const { clocks } = this.#connection;
    const enteredAt = clocks.now();
    for (;;) {
      const leftMs = Math.max(0, waitMs - elapsedMs(enteredAt, clocks));
      const outer = Scope.around(this, lockId);
      if (!outer) {
        const lease = await this.acquire(lockId, { ...options, waitMs: leftMs });
        return runUnderLease(lease, (held) => new Scope(this, lockId, lease).run(() => body(held)));
      }
      const entry = await outer.enter({ waitMs: leftMs, signal, disposal: this.#disposal }, clocks);
      if (entry === 'entered') return outer.runChild(body);
      if (entry === 'time') throw new LockNotAcquiredError(lockId, undefined, outer.lease.remainingMs);
    }
  }

  /** Goes on with a lease that was exported. It stands outside the line: whoever waits here is no heir of it. */
  async adopt(exported: ExportedLease, options: HoldOptions): Promise<Lease> {
    if (this.isDisposed) throw interrupted('disposed');
    const adopting = this.#adopt(exported, options);
    this.#adoptions.add(adopting);
    try {
      return await adopting;
    } finally {
      this.#adoptions.delete(adopting);
    }
  }

  async #adopt(exported: ExportedLease, options: HoldOptions): Promise<Lease> {
    const emit = emitterHere(this.#connection.listener);
    const acquired = await adopt(this.#connection, exported, this.#disposal);
    if (this.isDisposed) {
      const { ownerToken } = acquired;
      void this.#connection.cleanUps.start({ lockId: exported.lockId, ownerToken });
      throw interrupted('disposed');
    }
    return this.#goOn(exported, options, acquired, emit);
  }

  /** Goes on with a lease that was exported as the owner that exported it: the same token, the time that is left. */
  attach(exported: ExportedLease, options: HoldOptions): Lease {
    if (this.isDisposed) throw interrupted('disposed');
    const { ownerToken, fencingToken, deadlineMs } = exported;
    const sentAt = this.#connection.clocks.now();
    // What is left of it is as good as a grant of that length now.
    const leaseMs = Math.max(0, Math.min(deadlineMs - sentAt.wallMs, exported.leaseMs));
    const grant = { kind: 'granted', fencingToken, leaseMs, provisional: false, waiters: 0 } as const;
    return this.#goOn(exported, options, { grant, ownerToken, sentAt }, emitterHere(this.#connection.listener));
  }

  #goOn(exported: ExportedLease, options: HoldOptions, acquired: Acquired, emit: Emit): Lease {
    const { lockId, leaseMs, holder } = exported;
    const { maxHoldMs, renewal } = this.#holdOptions(options);
    const lease: Lease = new Lease(
      this.#connection,
      {
        lockId,
        leaseMs,
        holder,
        maxHoldMs,
        renewal,
        emit,
        heir: () => undefined,
        onTransfer: () => undefined,
        onEnd: () => this.#forget(lease),
      },
      acquired,
    );
    this.#leases.add(lease);
    const waitedMs = Math.round(elapsedMs(acquired.sentAt, this.#connection.clocks));
    emit({ type: 'acquired', lockId, fencingToken: acquired.grant.fencingToken, waitedMs });
    return lease;
  }

  /** Ends it: nothing is acquired any more, and what is held after `timeoutMs` milliseconds is taken from its holders. */
  async dispose(timeoutMs: number): Promise<string[]> {
    this.#disposal.dispose();
    if (timeoutMs > 0 && this.#leases.size > 0) {
      const ended = new Promise<void>((resolve) => this.#onLastLeaseEnded.add(resolve));
      await pause(timeoutMs, ended);
    }
    const left = [...this.#leases];
    await Promise.all(left.map((lease) => lease.revoke()));
    await Promise.allSettled(this.#adoptions);
    await this.#connection.cleanUps.settled();
    return left.map((lease) => lease.lockId);
  }

  #holdOptions(options: HoldOptions) {
    const {
      leaseMs = limits.leaseMs.default,
      holder = this.#ownHolder(),
      maxHoldMs = Number.POSITIVE_INFINITY,
      renewal = 'automatic',
    } = withDefaults<HoldOptions>(options, this.#defaults);
    return { leaseMs, holder, maxHoldMs, renewal };
  }

  #ownHolder(): string | undefined {
    this.#defaultHolder ??= { label: defaultHolder() };
    return this.#defaultHolder.label;
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
    if (this.#leases.size > 0) return;
    for (const tell of this.#onLastLeaseEnded) tell();
    this.#onLastLeaseEnded.clear();
  }
}
