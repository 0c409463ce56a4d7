import type { Acquired, Connection } from './acquisition.ts';
import type { Answer } from './backend.ts';
import { elapsedMs, type Moment } from './clocks.ts';
import { leaseLeftMs } from './deadline.ts';
import { IllegalMonitorStateError, LeaseLostError, LockServiceError, type LostReason } from './errors.ts';
import { backOffMs, longestTimerMs, pause } from './pause.ts';

const renewTimeoutMs = 5_000;
const releaseWithinMs = 5_000;
// Half of that, so that a reply lost without a reset still leaves time for a second attempt.
const releaseTimeoutMs = 2_500;

export interface LeaseOptions {
  readonly lockId: string;
  readonly leaseMs: number;
  readonly holder: string | undefined;
  /** Milliseconds; Infinity: no bound. */
  readonly maxHoldMs: number;
  /** Called when the lease is no longer held, for whatever reason. */
  readonly onEnd: () => void;
}

type State = 'held' | 'releasing' | 'unsure' | 'released' | 'lost';

/**
 * One period of holding one lock. It renews itself at a third of its length until it is released or lost.
 *
 * Its deadline counts from before the request that granted or last renewed it, on the stricter of two clocks, so it
 * ends here before it can end at the service. Every look at it compares the clocks first: the first look after the
 * process was frozen tells the truth. Call {@link assertHeld} before each step that cannot be undone, and let the
 * resource check {@link fencingToken}.
 */
export class Lease implements AsyncDisposable {
  readonly lockId: string;
  readonly #connection: Connection;
  readonly #options: LeaseOptions;
  readonly #ownerToken: string;
  readonly #fencingToken: number;
  readonly #grantedAt: Moment;
  readonly #abort = new AbortController();
  #state: State = 'held';
  // The lease counts from here, the moment before the last request that granted or renewed it, and lasts this long.
  #sentAt: Moment;
  #lengthMs: number;
  #renewTimer: ReturnType<typeof setTimeout> | undefined;
  #deadlineTimer: ReturnType<typeof setTimeout> | undefined;
  // Renewals that failed since the last one that was granted.
  #failures = 0;
  #releasing: Promise<void> | undefined;
  #lost: LeaseLostError | undefined;

  /** @internal Leases come from `lock.acquire()`. */
  constructor(connection: Connection, options: LeaseOptions, { grant, ownerToken, sentAt }: Acquired) {
    this.lockId = options.lockId;
    this.#connection = connection;
    this.#options = options;
    this.#ownerToken = ownerToken;
    this.#fencingToken = grant.fencingToken;
    this.#grantedAt = sentAt;
    this.#sentAt = sentAt;
    this.#lengthMs = grant.leaseMs;
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
    return this.#state === 'held' ? Math.max(0, Math.floor(this.#leftMs())) : 0;
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
   * Renews now, besides the renewals that happen by themselves.
   *
   * @throws LeaseLostError when the lease is lost
   * @throws LockServiceError when the renewal got no usable answer; the lease is held until its deadline all the same
   * @throws ForbiddenError when the service does not authorize it
   */
  async renew(): Promise<void> {
    this.assertHeld();
    const answer = await this.#renew();
    this.assertHeld();
    if (answer && 'error' in answer) throw answer.error;
  }

  /**
   * Gives the lock back, retrying for up to 5 s or until the deadline. Repeating it after success does nothing.
   *
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /** @internal Stops renewing a lease that nobody will release any more: it ends at its deadline. */
  abandon(): void {
    if (this.#state === 'held') this.#end('unsure');
  }

  /** The lock id, fencing token and remaining time: never the owner token. */
  toJSON(): { lockId: string; fencingToken: number; remainingMs: number } {
    return { lockId: this.lockId, fencingToken: this.#fencingToken, remainingMs: this.remainingMs };
  }

  toString(): string {
    const { remainingMs } = this;
    const state = this.#state === 'held' ? `held for ${remainingMs} ms` : this.#state;
    return `Lease(${JSON.stringify(this.lockId)}, fencing token ${this.#fencingToken}, ${state})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #leftMs(): number {
    const { clocks } = this.#connection;
    const holdLeftMs = this.#options.maxHoldMs - elapsedMs(this.#grantedAt, clocks);
    return Math.min(leaseLeftMs(this.#sentAt, this.#lengthMs, clocks), holdLeftMs);
  }

  #look(): void {
    if (this.#state === 'held' && this.#leftMs() <= 0) this.#lose(this.#expiry());
  }

  #expiry(): LostReason {
    if (elapsedMs(this.#grantedAt, this.#connection.clocks) >= this.#options.maxHoldMs) return 'max-hold';
    return this.#failures > 0 ? 'unreachable' : 'expired';
  }

  #lose(reason: LostReason): LeaseLostError {
    this.#lost = new LeaseLostError(this.lockId, reason);
    this.#end('lost');
    this.#abort.abort(this.#lost);
    return this.#lost;
  }

  #end(state: 'lost' | 'released' | 'unsure'): void {
    this.#state = state;
    this.#stopTimers();
    this.#options.onEnd();
  }

  #notHeld(): IllegalMonitorStateError {
    return new IllegalMonitorStateError(`the lease of lock ${JSON.stringify(this.lockId)} was given back`);
  }

  // Both timers are unref'd: a process that forgot to release still exits, and the lease then ends by itself.
  #startTimers(): void {
    this.#scheduleRenewal(Math.max(0, this.#lengthMs / 3 - elapsedMs(this.#sentAt, this.#connection.clocks)));
    this.#scheduleDeadline();
  }

  #stopTimers(): void {
    clearTimeout(this.#renewTimer);
    clearTimeout(this.#deadlineTimer);
  }

  #scheduleRenewal(afterMs: number): void {
    clearTimeout(this.#renewTimer);
    this.#renewTimer = unrefd(() => void this.#renew(), afterMs);
  }

  #scheduleDeadline(): void {
    clearTimeout(this.#deadlineTimer);
    this.#deadlineTimer = unrefd(() => {
      this.#look();
      if (this.#state === 'held') this.#scheduleDeadline();
    }, Math.ceil(this.#leftMs()));
  }

  async #renew(): Promise<Answer | undefined> {
    // A process that thaws past its deadline never renews.
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
      this.#extend(sentAt, answer.leaseMs);
      this.#failures = 0;
      this.#startTimers();
    } else if (answer.kind === 'lost') {
      this.#lose(answer.reason);
    } else {
      this.#scheduleRenewal(backOffMs(this.#failures++, random));
    }
    return answer;
  }

  // Answers may come in out of order: the one that was sent later and lasts longer counts.
  #extend(sentAt: Moment, lengthMs: number): void {
    const { clocks } = this.#connection;
    if (leaseLeftMs(sentAt, lengthMs, clocks) <= leaseLeftMs(this.#sentAt, this.#lengthMs, clocks)) return;
    this.#sentAt = sentAt;
    this.#lengthMs = lengthMs;
  }

  async #release(): Promise<void> {
    this.#look();
    if (this.#lost) throw this.#lost;
    if (this.#state === 'released') return;
    const { backend, clocks, random } = this.#connection;
    // After an attempt of unknown outcome, "you do not hold it" is what success looks like.
    let repeated = this.#state === 'unsure';
    const withinMs = repeated ? releaseWithinMs : Math.min(releaseWithinMs, this.#leftMs());
    const startedAt = clocks.now();
    this.#state = 'releasing';
    this.#stopTimers();
    for (let attempt = 0; ; attempt++) {
      const leftMs = Math.max(1, withinMs - elapsedMs(startedAt, clocks));
      const timeoutMs = Math.min(leftMs, releaseTimeoutMs);
      const answer = await backend.release({ lockId: this.lockId, ownerToken: this.#ownerToken }, timeoutMs);
      if (answer.kind === 'released' || (answer.kind === 'lost' && repeated)) return this.#end('released');
      if (answer.kind === 'lost') throw this.#lose(answer.reason);
      if (answer.kind === 'unknown') repeated = true;
      const pauseMs = backOffMs(attempt, random);
      const mayRetry = answer.kind === 'unknown' || answer.kind === 'throttled';
      if (!mayRetry || elapsedMs(startedAt, clocks) + pauseMs >= withinMs) {
        throw this.#releaseFailed(answer, repeated);
      }
      await pause(pauseMs);
    }
  }

  #releaseFailed(answer: Answer, unknown: boolean): Error {
    if (unknown) {
      this.#end('unsure');
    } else {
      // Nothing happened at the service, so it is still held, and is renewed until the caller tries again.
      this.#state = 'held';
      this.#startTimers();
    }
    const cause = 'error' in answer ? answer.error : undefined;
    if (cause && answer.kind === 'refused') return cause;
    return new LockServiceError(
      `the release of lock ${JSON.stringify(this.lockId)} got no usable answer; try it again`,
      {
        outcomeUnknown: unknown,
        requestId: cause instanceof LockServiceError ? cause.requestId : undefined,
        cause,
      },
    );
  }
}

function unrefd(run: () => void, afterMs: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, Math.min(afterMs, longestTimerMs));
  // Where timers are plain numbers they do not keep anything alive.
  if (typeof timer === 'object') timer.unref();
  return timer;
}
