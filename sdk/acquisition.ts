import type { Answer, Granted, Held, Waiting } from './backend.ts';
import { elapsedMs, type Moment } from './clocks.ts';
import type { Connection } from './connection.ts';
import { asksFor, type Contender, type Wish } from './contender.ts';
import { leaseLeftMs } from './deadline.ts';
import { type HoldfastError, LockServiceError } from './errors.ts';
import type { Acquired } from './lease.ts';
import { backOffMs, pause } from './pause.ts';
import { limits } from './wire/limits.ts';
import { newOwnerToken } from './wire/owner-token.ts';

/** For whom an acquisition works: the first of the contenders of one process, whoever that is at the time. */
export interface Front {
  /** There is one as long as the acquisition was not stopped. */
  contender(): Contender;
  /** The lock is the contender's. Told in the turn in which that is decided, so that nobody can give up in between. */
  acquired(acquired: Acquired): void;
  /** The contender waits: another owner holds the lock. */
  waits(held: Held): void;
  /** The contender's time is over, or it makes one attempt only, and another owner holds the lock. */
  giveUp(held: Held): void;
  fail(error: HoldfastError): void;
}

const singleTries = 3;
const requestTimeoutMs = 5_000;
const confirmTimeoutMs = 1_000;
// A service that answers a wait at once is not asked again at once.
const shortestWaitMs = 50;
// Whose waits are throttled, and who has no place in line, asks this seldom in the end: a crowd must not take from holders
// what they need to renew and release.
const longestOutsideMs = 5_000;

/**
 * One acquisition of one lock, over as many requests as it takes.
 *
 * It begins with `try` and stands in line by `acquire` only when that was refused, so that one hot lock cannot keep
 * others from their first attempt. A request of unknown outcome is repeated with the same owner token, by `try`, which
 * finds out. Its place in line belongs to the contenders together: when the first gives up, the next inherits it.
 */
export class Acquisition {
  readonly #connection: Connection;
  readonly #lockId: string;
  readonly #front: Front;
  // Ends what is awaited just now. (One promise for all of them would keep what was raced with it.)
  #stopAwaiting: () => void = () => undefined;
  readonly #abort = new AbortController();
  #isStopped = false;
  #answeredMs: number;
  #ownerToken: string;
  #next: 'try' | 'acquire' = 'try';
  // Whether this token was seen in line: then it comes back to its place, and never joins again in silence.
  #inLine = false;
  // Whether this token may hold the lock or a place in line when the acquisition ends.
  #unseen: boolean;
  #underWay: Promise<Answer> | undefined;
  #held: Held | undefined;
  #failures = 0;
  // Waits in a row that failed. Answers to the attempts between them do not end that.
  #failedWaits = 0;
  #lastFailure: LockServiceError | undefined;
  #freshTokens = 0;

  /** @param heirToken a token that may have been given the lock already, in a release of unknown outcome */
  constructor(connection: Connection, lockId: string, front: Front, heirToken?: string) {
    this.#connection = connection;
    this.#lockId = lockId;
    this.#front = front;
    this.#ownerToken = heirToken ?? newOwnerToken();
    this.#unseen = heirToken !== undefined;
    this.#answeredMs = this.#monotonicMs();
  }

  /** Who held the lock at the last look; nothing when there was no answer yet. */
  get held(): Held | undefined {
    return this.#held;
  }

  /** Whether an answer may be on its way. */
  get isAsking(): boolean {
    return this.#underWay !== undefined;
  }

  /** Whether the last request that has ended failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether a request may have been applied that was not answered. */
  get outcomeUnknown(): boolean {
    return this.#unseen || this.isAsking;
  }

  /** Runs until the lock is acquired, or it is stopped. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const sentAt = this.#connection.clocks.now();
      const asked = this.#front.contender().request;
      const answer = await this.#ask(this.#send());
      // Stopped meanwhile: whatever was answered, the clean-up sees to it.
      if (answer.kind === 'stopped' || this.#isStopped) return;
      this.#settle(answer);
      switch (answer.kind) {
        case 'granted': {
          const isDone = answer.provisional ? await this.#confirm(answer) : this.#grant(asked, answer, sentAt);
          if (isDone || this.#isStopped) return;
          await this.#startAnew();
          break;
        }
        case 'held':
        case 'waiting':
          await this.#waitOn(answer, sentAt);
          break;
        case 'throttled':
        case 'unknown':
          await this.#retryLater(answer.error);
          break;
        case 'refused':
          this.#fail(answer.error);
          break;
        default:
          // Spent, or lost: this token will not be granted the lock any more.
          await this.#startAnew();
      }
    }
  }

  /** Ends it, and gives back what its token may have got. Resolves when that is answered. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopAwaiting();
    this.#abort.abort();
    return this.outcomeUnknown ? this.#cleanUp() : Promise.resolve();
  }

  #ask(request: Promise<Answer>): Promise<Answer | { readonly kind: 'stopped' }> {
    this.#underWay = request;
    return new Promise((resolve) => {
      this.#stopAwaiting = () => resolve({ kind: 'stopped' });
      void request.then(resolve);
    });
  }

  // In the very turn in which the answer is acted upon: a stop before that finds the request under way and cleans up
  // after it, a stop later finds what came of it.
  #settle(answer: Answer): void {
    this.#underWay = undefined;
    if (answer.kind === 'unknown' && answer.error.outcomeUnknown) this.#unseen = true;
    // A wait that was refused midway, such as when its rights ran out, may have taken a place in line before.
    if (answer.kind === 'refused' && this.#next === 'acquire') this.#unseen = true;
    if (answer.kind !== 'unknown' || answer.answered) this.#answeredMs = this.#monotonicMs();
  }

  #send(): Promise<Answer> {
    const contender = this.#front.contender();
    const { backend } = this.#connection;
    const request = this.#leaseRequest(contender);
    if (this.#next === 'try') return backend.try(request, requestTimeoutMs);
    const waitMs = Math.ceil(Math.min(limits.waitMs.max, contender.leftMs));
    const { signal } = this.#abort;
    return backend.acquire({ ...request, waitMs, resume: this.#inLine, signal }, waitMs + requestTimeoutMs);
  }

  // Hands the lock to the front, or says that this grant is none. An answer that arrives only after the lease it grants
  // is over grants nothing. Whoever asked may be gone, and the next want another lease or bear another name: a hold that
  // is whole cannot be made shorter.
  #grant(asked: Wish, grant: Granted, sentAt: Moment): boolean {
    const isOver = leaseLeftMs(sentAt, grant.leaseMs, this.#connection.clocks) <= 0;
    if (isOver || !asksFor(this.#front.contender(), asked)) return false;
    this.#front.acquired({ grant, ownerToken: this.#ownerToken, sentAt });
    return true;
  }

  // A grant after waiting is provisional: only the renewal that confirms it counts, and the lease counts from there.
  // True: it was confirmed and handed to the front.
  async #confirm(provisional: Granted): Promise<boolean> {
    const { backend, clocks, random } = this.#connection;
    const answeredAt = clocks.now();
    this.#unseen = true;
    for (let attempt = 0; !this.#isStopped && elapsedMs(answeredAt, clocks) < provisional.leaseMs; attempt++) {
      const sentAt = clocks.now();
      const contender = this.#front.contender();
      const answer = await this.#ask(backend.renew(this.#leaseRequest(contender), confirmTimeoutMs));
      if (answer.kind === 'stopped' || this.#isStopped) return false;
      this.#settle(answer);
      if (answer.kind === 'granted') return this.#grant(contender.request, answer, sentAt);
      if (answer.kind === 'refused') this.#fail(answer.error);
      else if (answer.kind !== 'unknown' && answer.kind !== 'throttled') return false;
      await this.#pause(backOffMs(attempt, random), Number.POSITIVE_INFINITY);
    }
    return false;
  }

  async #waitOn(answer: Held | Waiting, sentAt: Moment): Promise<void> {
    const { clocks, random } = this.#connection;
    const waited = this.#next === 'acquire';
    if (waited) this.#failedWaits = 0;
    this.#held = { ...answer, kind: 'held' };
    this.#next = 'acquire';
    this.#failures = 0;
    if (answer.kind === 'waiting') {
      this.#inLine = true;
      this.#unseen = true;
    }
    const contender = this.#front.contender();
    if (!contender.waits || contender.leftMs <= 0) {
      this.#front.giveUp(this.#held);
      return;
    }
    this.#front.waits(this.#held);
    // The service has done the waiting; only an answer that came sooner is not followed up at once. Nobody may come back
    // late, for the lock may be handed to it meanwhile; a little early at random, so that a crowd does not come at once.
    const retryAfterMs = Math.min(Math.max(answer.retryAfterMs, shortestWaitMs), limits.waitMs.max);
    // Who stands in no line is handed nothing meanwhile, and has the time to ask less often.
    if (this.#failedWaits > 0 && !this.#inLine) {
      return this.#pause(backOffMs(this.#failedWaits, random, longestOutsideMs), contender.leftMs);
    }
    if (!waited || elapsedMs(sentAt, clocks) >= retryAfterMs) return;
    await this.#pause(retryAfterMs * (0.85 + 0.15 * random()), contender.leftMs);
  }

  async #retryLater(cause: LockServiceError): Promise<void> {
    this.#failures++;
    this.#lastFailure = cause;
    if (this.#next === 'acquire') this.#failedWaits++;
    this.#next = 'try';
    const { unreachableAfterMs, random } = this.#connection;
    // All of them for whom that is true, the first before the next. One failure says nothing: the process may have been
    // frozen while it waited for an answer.
    while (this.#failures > 1 && !this.#isStopped && this.#unansweredMs >= unreachableAfterMs) {
      this.#front.fail(this.noAnswer(`for ${unreachableAfterMs} ms`));
    }
    if (this.#isStopped) return;
    const { waits, leftMs, limitMs } = this.#front.contender();
    if (!waits && this.#failures >= singleTries) {
      // The last try may be known to have done nothing when an earlier one is not.
      return this.#fail(this.#unseen && !cause.outcomeUnknown ? this.noAnswer(`in ${singleTries} tries`) : cause);
    }
    if (leftMs <= 0) {
      if (waits && this.#held) return this.#front.giveUp(this.#held);
      return this.#fail(this.noAnswer(`within ${Math.round(limitMs)} ms`));
    }
    // An attempt goes before the next wait, so that a lock that was handed over meanwhile is found within the claim window.
    // A crowd whose waits are all throttled must not ask the faster for that.
    const isOutside = this.#failedWaits > this.#failures && !this.#inLine;
    const failures = Math.max(this.#failures, this.#failedWaits);
    await this.#pause(backOffMs(failures - 1, random, isOutside ? longestOutsideMs : undefined), leftMs);
  }

  /** What a contender is told whose time is over without any answer that says whether the lock is held. */
  noAnswer(when: string): LockServiceError {
    const { outcomeUnknown } = this;
    const cause = this.#lastFailure;
    const requestId = cause?.requestId;
    return new LockServiceError(`the lock service gave no usable answer ${when}`, { outcomeUnknown, requestId, cause });
  }

  #fail(error: HoldfastError): void {
    this.#failures = 0;
    this.#front.fail(error);
  }

  async #startAnew(): Promise<void> {
    void this.#cleanUp();
    this.#ownerToken = newOwnerToken();
    this.#unseen = false;
    this.#inLine = false;
    this.#next = 'try';
    // Once is nothing unusual. A service that takes no token at all is not asked in a hot loop.
    const { leftMs } = this.#front.contender();
    if (this.#freshTokens++ > 0) await this.#pause(backOffMs(this.#freshTokens, this.#connection.random), leftMs);
  }

  // How long the front has had no answer at all.
  get #unansweredMs(): number {
    return Math.min(this.#monotonicMs() - this.#answeredMs, this.#front.contender().waitedMs);
  }

  async #pause(ms: number, leftMs: number): Promise<void> {
    if (this.#isStopped) return;
    const stopped = new Promise<void>((resolve) => {
      this.#stopAwaiting = resolve;
    });
    await pause(Math.min(ms, leftMs), stopped);
  }

  #cleanUp(): Promise<void> {
    return this.#connection.cleanUps.start({ lockId: this.#lockId, ownerToken: this.#ownerToken }, this.#underWay);
  }

  #leaseRequest({ request: { leaseMs, holder } }: Contender) {
    return { lockId: this.#lockId, ownerToken: this.#ownerToken, leaseMs, holder };
  }

  #monotonicMs(): number {
    return this.#connection.clocks.now().monotonicMs;
  }
}
