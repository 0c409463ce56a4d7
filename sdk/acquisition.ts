import type { Answer, Backend, Granted, Held } from './backend.ts';
import type { CleanUps } from './clean-ups.ts';
import { type Clocks, elapsedMs, type Moment } from './clocks.ts';
import { leaseLeftMs } from './deadline.ts';
import type { Disposal } from './disposal.ts';
import { type HoldfastError, InterruptedError, LockServiceError } from './errors.ts';
import { backOffMs, pause } from './pause.ts';
import { type Stop, Stopper } from './stopper.ts';
import { limits } from './wire/limits.ts';
import { newOwnerToken } from './wire/owner-token.ts';

/** What an acquisition works with. */
export interface Connection {
  readonly backend: Backend;
  readonly clocks: Clocks;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly cleanUps: CleanUps;
  /** Give up after this long without any answer, milliseconds. */
  readonly unreachableAfterMs: number;
}

export interface AcquisitionRequest {
  readonly lockId: string;
  readonly leaseMs: number;
  readonly holder: string | undefined;
  /** How long to wait for a lock that is held; 0: one attempt; Infinity: for ever. */
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  /** Of the factory: ends the wait. */
  readonly disposal: Disposal;
}

/** A lock that was acquired: the grant, its token, and the moment from which the lease counts. */
export interface Acquired {
  readonly kind: 'acquired';
  readonly grant: Granted;
  readonly ownerToken: string;
  readonly sentAt: Moment;
}

// One attempt without waiting: at most 3 tries, 3 s in all.
const single = { tries: 3, withinMs: 3_000 };
const requestTimeoutMs = 5_000;
const confirmTimeoutMs = 1_000;
// An answer that is on its way when the time is over may still come in.
const graceMs = 500;
// An aborted caller waits this long for its clean-up to be answered.
const cleanUpWaitMs = 1_000;

/**
 * One acquisition of one lock, over as many requests as it takes.
 *
 * It begins with `try` and waits by `acquire` only when that was refused, so that one hot lock cannot keep others from
 * their first attempt. A request of unknown outcome is repeated with the same owner token, by `try`, which finds out.
 * However it ends without a lease, a token that may have been granted unseen is released.
 */
export class Acquisition {
  readonly #connection: Connection;
  readonly #request: AcquisitionRequest;
  readonly #waits: boolean;
  readonly #limitMs: number;
  readonly #startedMs: number;
  #answeredMs: number;
  #ownerToken = newOwnerToken();
  #next: 'try' | 'acquire' = 'try';
  // Whether a request with this token may have been applied without our knowing.
  #unseen = false;
  #underWay: Promise<Answer> | undefined;
  #held: Held | undefined;
  #failures = 0;

  constructor(connection: Connection, request: AcquisitionRequest) {
    this.#connection = connection;
    this.#request = request;
    this.#waits = request.waitMs > 0;
    this.#limitMs = this.#waits ? request.waitMs : single.withinMs;
    this.#startedMs = this.#monotonicMs();
    this.#answeredMs = this.#startedMs;
  }

  /**
   * Runs it: the lock, or who holds it when the time is over.
   *
   * @throws InterruptedError when the signal aborts or the factory is disposed
   * @throws LockServiceError when the service could not be asked in time
   * @throws IllegalArgumentError | ForbiddenError when it refused the request itself
   */
  async run(): Promise<Acquired | Held> {
    const { signal, disposal } = this.#request;
    if (disposal.disposed) throw interrupted('disposed');
    if (signal?.aborted) throw interrupted('aborted');
    const stopper = new Stopper({ signal, disposal, afterMs: this.#limitMs + (this.#waits ? graceMs : 0) });
    try {
      return await this.#attempts(stopper.stopped);
    } finally {
      stopper.dispose();
    }
  }

  async #attempts(stopped: Promise<Stop>): Promise<Acquired | Held> {
    for (;;) {
      const sentAt = this.#connection.clocks.now();
      const answer = await this.#ask(this.#send(), stopped);
      switch (answer.kind) {
        case 'granted': {
          if (!answer.provisional) {
            const acquired = this.#acquired(answer, sentAt);
            if (acquired) return acquired;
          } else {
            const confirmed = await this.#confirm(answer, stopped);
            if (confirmed) return confirmed.kind === 'stopped' ? this.#stop(confirmed) : confirmed;
          }
          this.#startAnew();
          break;
        }
        case 'held': {
          const waited = this.#next === 'acquire';
          this.#held = answer;
          this.#next = 'acquire';
          this.#failures = 0;
          if (!this.#waits || this.#leftMs() <= 0) return this.#giveUp(answer);
          // The service has done the waiting; only a refusal that came sooner is not repeated at once.
          if (waited && elapsedMs(sentAt, this.#connection.clocks) < answer.retryAfterMs) {
            await pause(Math.min(this.#connection.random() * answer.retryAfterMs, this.#leftMs()), stopped);
          }
          break;
        }
        case 'throttled':
        case 'unknown':
          this.#countFailure(answer.error);
          if (this.#leftMs() <= 0) return this.#stop({ kind: 'stopped', why: 'time' });
          await pause(Math.min(backOffMs(this.#failures - 1, this.#connection.random), this.#leftMs()), stopped);
          break;
        case 'refused':
          return this.#fail(answer.error);
        case 'stopped':
          return this.#stop(answer);
        default:
          // Spent, or lost: this token will not be granted the lock any more.
          this.#startAnew();
      }
    }
  }

  async #ask(request: Promise<Answer>, stopped: Promise<Stop>): Promise<Answer | Stop> {
    this.#underWay = request;
    const answer = await Promise.race([request, stopped]);
    if (answer.kind === 'stopped') return answer;
    this.#underWay = undefined;
    if (answer.kind === 'unknown') this.#unseen = true;
    if (answer.kind !== 'unknown' || answer.answered) this.#answeredMs = this.#monotonicMs();
    return answer;
  }

  #send(): Promise<Answer> {
    const { lockId, leaseMs, holder } = this.#request;
    const { backend } = this.#connection;
    const request = { lockId, ownerToken: this.#ownerToken, leaseMs, holder };
    if (this.#next === 'try') return backend.try(request, requestTimeoutMs);
    const waitMs = Math.ceil(Math.min(limits.waitMs.max, Math.max(0, this.#leftMs())));
    return backend.acquire({ ...request, waitMs }, waitMs + requestTimeoutMs);
  }

  // An answer that arrives only after the lease it grants is over grants nothing.
  #acquired(grant: Granted, sentAt: Moment): Acquired | undefined {
    if (leaseLeftMs(sentAt, grant.leaseMs, this.#connection.clocks) <= 0) return undefined;
    return { kind: 'acquired', grant, ownerToken: this.#ownerToken, sentAt };
  }

  // A grant after waiting is provisional: only the renewal that confirms it counts, and the lease counts from there.
  async #confirm(provisional: Granted, stopped: Promise<Stop>): Promise<Acquired | Stop | undefined> {
    const { backend, clocks, random } = this.#connection;
    const { lockId, leaseMs, holder } = this.#request;
    const answeredAt = clocks.now();
    this.#unseen = true;
    for (let attempt = 0; elapsedMs(answeredAt, clocks) < provisional.leaseMs; attempt++) {
      const sentAt = clocks.now();
      const renewal = backend.renew({ lockId, ownerToken: this.#ownerToken, leaseMs, holder }, confirmTimeoutMs);
      const answer = await this.#ask(renewal, stopped);
      if (answer.kind === 'stopped') return answer;
      if (answer.kind === 'granted') return this.#acquired(answer, sentAt);
      if (answer.kind === 'refused') return this.#fail(answer.error);
      if (answer.kind !== 'unknown' && answer.kind !== 'throttled') return undefined;
      await pause(backOffMs(attempt, random), stopped);
    }
    return undefined;
  }

  #startAnew(): void {
    void this.#cleanUp();
    this.#ownerToken = newOwnerToken();
    this.#unseen = false;
    this.#next = 'try';
  }

  #countFailure(cause: LockServiceError): void {
    this.#failures++;
    this.#next = 'try';
    const { unreachableAfterMs } = this.#connection;
    if (!this.#waits && this.#failures >= single.tries) this.#fail(cause);
    if (this.#monotonicMs() - this.#answeredMs >= unreachableAfterMs) {
      this.#fail(this.#serviceError(`the lock service gave no answer for ${unreachableAfterMs} ms`, cause));
    }
  }

  #giveUp(held: Held): Held {
    if (this.#unseen) void this.#cleanUp();
    return held;
  }

  #fail(error: HoldfastError): never {
    if (this.#unseen) void this.#cleanUp();
    throw error;
  }

  async #stop({ why }: Stop): Promise<Held> {
    const cleanedUp = this.#underWay || this.#unseen ? this.#cleanUp() : Promise.resolve();
    if (why !== 'time') {
      await pause(cleanUpWaitMs, cleanedUp);
      throw interrupted(why);
    }
    if (this.#waits && this.#held) return this.#held;
    throw this.#serviceError(`the lock service gave no answer within ${this.#limitMs} ms`);
  }

  #cleanUp(): Promise<void> {
    const token = { lockId: this.#request.lockId, ownerToken: this.#ownerToken };
    return this.#connection.cleanUps.start(token, this.#underWay);
  }

  #serviceError(message: string, cause?: unknown): LockServiceError {
    return new LockServiceError(message, { outcomeUnknown: this.#unseen || this.#underWay !== undefined, cause });
  }

  #leftMs(): number {
    return Math.max(0, this.#limitMs - (this.#monotonicMs() - this.#startedMs));
  }

  #monotonicMs(): number {
    return this.#connection.clocks.now().monotonicMs;
  }
}

function interrupted(why: 'aborted' | 'disposed'): InterruptedError {
  return new InterruptedError(
    why === 'aborted'
      ? 'the wait for the lock was aborted'
      : 'the lock factory is disposed and acquires no locks any more',
  );
}
