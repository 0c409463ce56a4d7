import type { Answer, Granted, Heir, ReleaseRequest } from './backend.ts';
import { elapsedMs, type Moment } from './clocks.ts';
import type { Connection } from './connection.ts';
import { IllegalMonitorStateError, LeaseLostError, type LostReason } from './errors.ts';
import type { Emit } from './events.ts';
import { leaseText } from './exported-lease.ts';
import { LeaseTerm } from './lease-term.ts';
import { LeaseTimers, type Renewal } from './lease-timers.ts';
import { noUsableAnswer } from './no-usable-answer.ts';
import { backOffMs } from './pause.ts';
import { releaseWithinMs, sendRelease } from './release-attempts.ts';

const renewTimeoutMs = 5_000;

/** A lock that was acquired: the grant, its token, and the moment from which the lease counts. */
export interface Acquired {
  readonly grant: Granted;
  readonly ownerToken: string;
  readonly sentAt: Moment;
}

export interface LeaseOptions {
  readonly lockId: string;
  readonly leaseMs: number;
  readonly holder: string | undefined;
  /** Milliseconds; Infinity: no bound. */
  readonly maxHoldMs: number;
  readonly renewal: Renewal;
  /** Tells of what becomes of it. */
  readonly emit: Emit;
  /** Who is to have the lock when it is released, if nobody stands in the service's line. */
  readonly heir: () => Heir | undefined;
  /** Told that the release passed the lock on, and when the request was sent that did. */
  readonly onTransfer: (grant: Granted, sentAt: Moment) => void;
  /** Told that the lease is no longer held. */
  readonly onEnd: (state: EndState) => void;
}

/** How a lease ended; `unsure`: by a release of unknown outcome; `exported`: another process goes on with it. */
export type EndState = 'lost' | 'released' | 'unsure' | 'exported';

type State = 'held' | 'releasing' | EndState;

/**
 * One period of holding one lock. It renews itself at a third of its length until it is released or lost.
 *
 * Its deadline counts from before the request that granted or last renewed it, on the stricter of two clocks, so it
 * ends here before it can end at the service. Every look at it compares the clocks first: the first look after the
 * process was frozen tells the truth. Call {@link assertHeld} before each step that cannot be undone, and let the
 * resource check {@link fencingToken}.
 *
 * @example
 * await using lease = await locks.createLock('orders-42').acquire();
 * lease.assertHeld();
 * await book(id, { fencingToken: lease.fencingToken });
 */
export class Lease implements AsyncDisposable {
  /** Without the factory's prefix. */
  readonly lockId: string;
  readonly #connection: Connection;
  readonly #options: LeaseOptions;
  readonly #ownerToken: string;
  readonly #fencingToken: number;
  readonly #term: LeaseTerm;
  readonly #timers: LeaseTimers;
  readonly #abort = new AbortController();
  #state: State = 'held';
  // Renewals that failed since the last one that was granted.
  #failures = 0;
  // Whether somebody stood in line at the last answer: then the release hands over at once.
  #expectWaiters: boolean;
  #releasing: Promise<void> | undefined;
  #lost: LeaseLostError | undefined;
  // Whether a release was tried: from then on it is not renewed by itself, for perhaps nobody will try again.
  #isReleaseTried = false;
  #isFreed = false;
  // Whether it was told how the hold ended: that is told once.
  #isEndTold = false;

  /** @internal Leases come from `lock.acquire()`. */
  constructor(connection: Connection, options: LeaseOptions, { grant, ownerToken, sentAt }: Acquired) {
    this.lockId = options.lockId;
    this.#connection = connection;
    this.#options = options;
    this.#ownerToken = ownerToken;
    this.#fencingToken = grant.fencingToken;
    this.#term = new LeaseTerm(connection.clocks, sentAt, grant.leaseMs, options.maxHoldMs);
    this.#timers = new LeaseTimers(options.renewal);
    this.#expectWaiters = grant.waiters > 0;
    this.#startTimers();
  }

  /** The number of this grant, greater than that of every earlier grant of this lock. It stays the same over renewals. */
  get fencingToken(): number {
    this.#look();
    return this.#fencingToken;
  }

  /** Whether the lease is held, by a comparison of the clocks now. */
  get isHeld(): boolean {
    this.#look();
    return this.#state === 'held';
  }

  /** Milliseconds until the deadline if no renewal comes, by a comparison of the clocks now; 0 when it is not held. */
  get remainingMs(): number {
    this.#look();
    return this.#state === 'held' ? Math.max(0, Math.floor(this.#term.leftMs)) : 0;
  }

  /**
   * Aborts with a {@link LeaseLostError} when the lease is lost, at the latest at the deadline, even without a network.
   * It may be one turn of the event loop late; {@link assertHeld} is not.
   */
  get signal(): AbortSignal {
    this.#look();
    return this.#abort.signal;
  }

  /**
   * Returns if the lease is held, by a comparison of the clocks now.
   *
   * (A function of its own, so that `withLock(id, async ({ assertHeld }) => …)` works.)
   *
   * @throws LeaseLostError when it was lost
   * @throws IllegalMonitorStateError when it was released, or a release of unknown outcome was tried
   */
  readonly assertHeld = (): void => {
    this.#look();
    if (this.#lost) throw this.#lost;
    if (this.#state !== 'held') throw this.#notHeld();
  };

  /**
   * Renews now, besides the renewals that happen by themselves (with `renewal: 'manual'` none does).
   *
   * @example await lease.renew();
   * @throws LeaseLostError when the lease is lost
   * @throws IllegalMonitorStateError when it was released or exported
   * @throws LockServiceError when the renewal got no usable answer; the lease is held until its deadline all the same
   * @throws ForbiddenError when the service does not authorize it
   */
  async renew(): Promise<void> {
    this.assertHeld();
    const answer = await this.#renew('by hand');
    this.assertHeld();
    if (answer?.kind === 'granted') return;
    if (answer && 'error' in answer) throw answer.error;
    throw noUsableAnswer(`the renewal of lock ${JSON.stringify(this.lockId)}`, { outcomeUnknown: true });
  }

  /**
   * Gives the lock back, retrying for up to 5 s or until the deadline. Repeating it after success does nothing. After a
   * failure it may be called again; the lease is not renewed by itself any more, so that it ends if nobody does.
   *
   * @example
   * const lease = await lock.acquire();
   * try { await book(id); } finally { await lease.release(); }
   * @throws LeaseLostError when the lease was lost before; a successor is never touched
   * @throws LockServiceError when the outcome is unknown or the service refused; it may be called again
   * @throws ForbiddenError when the service does not authorize it; the lease is still held
   */
  release(): Promise<void> {
    this.#releasing ??= this.#release().finally(() => {
      this.#releasing = undefined;
    });
    return this.#releasing;
  }

  /**
   * {@link release}, for `await using`.
   *
   * @throws LeaseLostError and others as {@link release}
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /**
   * Gives the lease up here, so that another process goes on with it: `locks.adopt(text)` there, or `locks.attach(text)`
   * if it is the same owner. It is not renewed any more until then, so that must come within {@link remainingMs};
   * {@link renew} first makes that a whole lease.
   * From here on it is not held here, and releasing it does nothing.
   *
   * @returns a secret: whoever has it can renew and release the lock
   * @example return { lease: lease.export() }; // from the first step of a workflow to the next
   * @throws LeaseLostError when it was lost
   * @throws IllegalMonitorStateError when it was released or exported
   */
  export(): string {
    this.assertHeld();
    const { leaseMs, holder } = this.#options;
    const deadlineMs = this.#connection.clocks.now().wallMs + this.remainingMs;
    this.#end('exported');
    this.#tellEnd({ type: 'exported' });
    return leaseText({ ...this.#names, ownerToken: this.#ownerToken, leaseMs, holder, deadlineMs });
  }

  /** @internal Whether no timer of it runs, so that it finds out that it is over only when it is looked at. */
  get isRenewedByHand(): boolean {
    return this.#options.renewal === 'manual';
  }

  /** @internal Whether a release was tried, which has failed if the lease is still there. */
  get isReleaseTried(): boolean {
    return this.#isReleaseTried;
  }

  /**
   * @internal Takes the lease from its holder, because the factory is disposed: it is lost, its signal aborts, and only
   * then is the lock released, in the background. A release that is under way goes on.
   */
  async revoke(): Promise<void> {
    this.#look();
    if (this.#state === 'held') {
      this.#lose('disposed');
      await this.#free();
    } else {
      await this.#releasing?.catch(() => this.abandon());
    }
  }

  /** @internal Stops renewing a lease that nobody will release any more: it ends at its deadline. */
  abandon(): void {
    if (this.#state === 'held') this.#endUnsure();
  }

  /** The lock id, fencing token and remaining milliseconds: never the owner token. */
  toJSON(): { lockId: string; fencingToken: number; remainingMs: number } {
    return { lockId: this.lockId, fencingToken: this.#fencingToken, remainingMs: this.remainingMs };
  }

  /** For people. */
  toString(): string {
    const { remainingMs } = this;
    const state = this.#state === 'held' ? `held for ${remainingMs} ms` : this.#state;
    return `Lease(${JSON.stringify(this.lockId)}, fencing token ${this.#fencingToken}, ${state})`;
  }

  /** For `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #look(): void {
    if (this.#state === 'held' && this.#term.leftMs <= 0) this.#lose(this.#expiry());
  }

  #expiry(): LostReason {
    if (this.#term.isPastMaxHold) return 'max-hold';
    return this.#failures > 0 ? 'unreachable' : 'expired';
  }

  #lose(reason: LostReason): LeaseLostError {
    this.#lost = new LeaseLostError(this.lockId, reason);
    this.#end('lost');
    this.#abort.abort(this.#lost);
    this.#tellEnd({ type: 'lost', reason });
    return this.#lost;
  }

  #end(state: EndState, how = state): void {
    this.#state = state;
    this.#timers.stop();
    this.#options.onEnd(how);
  }

  // Whether it was released is not known: at the deadline at the latest the hold is over.
  #endUnsure(): void {
    this.#end('unsure');
    if (this.#isEndTold) return;
    this.#timers.lookIn(Math.ceil(this.#term.leftMs), () => this.#tellEnd({ type: 'lost', reason: this.#expiry() }));
  }

  #tellEnd(end: { type: 'released' | 'exported' } | { type: 'lost'; reason: LostReason }): void {
    if (this.#isEndTold) return;
    this.#isEndTold = true;
    this.#options.emit({ ...this.#names, heldMs: this.#term.heldMs, ...end });
  }

  get #names() {
    return { lockId: this.lockId, fencingToken: this.#fencingToken };
  }

  #notHeld(): IllegalMonitorStateError {
    const how = this.#state === 'exported' ? 'exported' : 'given back';
    return new IllegalMonitorStateError(`the lease of lock ${JSON.stringify(this.lockId)} was ${how}`);
  }

  #startTimers(): void {
    this.#scheduleRenewal(this.#term.renewInMs);
    this.#scheduleDeadline();
  }

  #scheduleRenewal(afterMs: number): void {
    this.#timers.renewIn(afterMs, () => void this.#renew('by itself'));
  }

  #scheduleDeadline(): void {
    this.#timers.lookIn(Math.ceil(this.#term.leftMs), () => {
      this.#look();
      if (this.#state === 'held') this.#scheduleDeadline();
    });
  }

  #renew(how: 'by itself' | 'by hand'): Promise<Answer | undefined> {
    const send = async () => {
      // A release may have been tried, and have failed, before this was due or while it waited for its turn.
      return how === 'by itself' && this.#isReleaseTried ? undefined : this.#sendRenewal();
    };
    return this.#connection.renewals.take(send, Math.max(0, this.#term.leftMs / 4));
  }

  async #sendRenewal(): Promise<Answer | undefined> {
    // Others may have had their turns before. A process that thaws past its deadline never renews.
    this.#look();
    if (this.#state !== 'held') return undefined;
    const { backend, clocks, random } = this.#connection;
    const { lockId, leaseMs, holder } = this.#options;
    const sentAt = clocks.now();
    const timeoutMs = Math.min(leaseMs / 6, renewTimeoutMs);
    const answer = await backend.renew({ lockId, ownerToken: this.#ownerToken, leaseMs, holder }, timeoutMs);
    // The look comes first: an answer that comes in after the deadline changes nothing any more.
    this.#look();
    if (this.#state !== 'held') return answer;
    if (answer.kind === 'granted') {
      this.#term.extend(sentAt, answer.leaseMs);
      this.#expectWaiters = answer.waiters > 0;
      this.#failures = 0;
      // Also when an earlier answer reaches further: the next one is due a third of a lease after this one.
      this.#scheduleRenewal(Math.max(this.#term.renewInMs, leaseMs / 3 - elapsedMs(sentAt, clocks)));
      this.#scheduleDeadline();
      this.#options.emit({ type: 'renewed', ...this.#names, remainingMs: this.remainingMs });
    } else if (answer.kind === 'lost') {
      this.#lose(answer.reason);
    } else {
      if ('error' in answer) {
        const { error } = answer;
        this.#options.emit({ type: 'renewFailed', ...this.#names, remainingMs: this.remainingMs, error });
      }
      this.#scheduleRenewal(backOffMs(this.#failures++, random));
    }
    return answer;
  }

  async #release(): Promise<void> {
    this.#look();
    if (this.#lost) {
      this.#freeAfterMaxHold();
      throw this.#lost;
    }
    if (this.#state === 'released' || this.#state === 'exported') return;
    const repeated = this.#state === 'unsure';
    const withinMs = repeated ? releaseWithinMs : Math.min(releaseWithinMs, this.#term.atServiceMs);
    this.#state = 'releasing';
    this.#isReleaseTried = true;
    this.#timers.stop();
    const outcome = await sendRelease(this.#connection, (withHeir) => this.#releaseRequest(withHeir), {
      withinMs,
      repeated,
    });
    switch (outcome.kind) {
      case 'released':
        // Told before the heir has it.
        this.#tellEnd({ type: 'released' });
        if (outcome.heir) this.#options.onTransfer(outcome.heir, outcome.sentAt);
        this.#end('released', outcome.heirMayHold ? 'unsure' : 'released');
        return;
      case 'lost':
        throw this.#lose(outcome.reason);
      case 'failed':
        if (outcome.outcomeUnknown) this.#endUnsure();
        else this.#holdOn();
        this.#options.emit({ type: 'releaseFailed', ...this.#names, error: outcome.error });
        throw outcome.error;
    }
  }

  #releaseRequest(withHeir: boolean): ReleaseRequest {
    const { lockId } = this;
    const heir = withHeir ? this.#options.heir() : undefined;
    return { lockId, ownerToken: this.#ownerToken, expectWaiters: this.#expectWaiters, heir };
  }

  // Nothing happened at the service, so the lock is still held, until its deadline or until the caller tries again.
  #holdOn(): void {
    this.#state = 'held';
    this.#startTimers();
  }

  // The service knows nothing of `maxHoldMs`; now that its holder is through, nobody needs to wait for the lease to end.
  #freeAfterMaxHold(): void {
    if (this.#lost?.reason !== 'max-hold' || this.#isFreed) return;
    this.#isFreed = true;
    void this.#free();
  }

  #free(): Promise<void> {
    return this.#connection.cleanUps.start({ lockId: this.lockId, ownerToken: this.#ownerToken });
  }
}
