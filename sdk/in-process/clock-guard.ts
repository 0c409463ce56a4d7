import type {
  AcquireRequest,
  Answer,
  Backend,
  BreakAnswer,
  BreakRequest,
  Failed,
  Heir,
  LeaseRequest,
  Listed,
  ListRequest,
  ReleaseRequest,
  TokenRequest,
  Viewed,
} from '../backend.ts';
import { ClockSkewError, LockServiceError } from '../errors.ts';
import type { SignalSource } from '../time-limit.ts';
import type { ClockCheck } from './clock-check.ts';

// Of a grant that must not be used.
const releaseTimeoutMs = 5_000;

/**
 * A backend that trusts its own clock, kept from doing so while that clock is wrong: nothing is acquired, confirmed or
 * renewed by it. Giving back, looking and breaking are always possible.
 *
 * The replies that the backend gets tell. Before it takes a lock for the first time, after a minute without a reply,
 * or when the clock was set since, it asks for one by a look at the lock: a claim by a clock that is ahead could take the
 * lock from a live holder. While the clock is wrong each call looks before it is refused, so that one that was put right is
 * believed again. What a reply to the call itself shows comes too late for that call, so what it got is given back.
 */
export class ClockGuard implements Backend {
  readonly #backend: Backend;
  readonly #clock: ClockCheck;

  constructor(backend: Backend, clock: ClockCheck) {
    this.#backend = backend;
    this.#clock = clock;
  }

  async try(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    const { answer, wrong } = await this.#guarded(request, timeoutMs, (leftMs) => this.#backend.try(request, leftMs));
    return wrong ? this.#refused(request, answer, wrong) : answer;
  }

  async acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer> {
    const { answer, wrong } = await this.#guarded(request, timeoutMs, (leftMs, { signal }) =>
      // Whoever waits looks at the lock all the time: once a look shows that the clock is wrong, or was set, nothing may be
      // claimed by it. The place in line is left; one whose clock is right stands in it anew.
      this.#backend.acquire({ ...request, signal: AbortSignal.any([request.signal, signal]) }, leftMs),
    );
    return wrong ? this.#refused(request, answer, wrong) : answer;
  }

  // What a renewal by a wrong clock wrote is not counted on: the lease keeps its old deadline.
  async renew(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    const { answer, wrong } = await this.#guarded(request, timeoutMs, (leftMs) => this.#backend.renew(request, leftMs));
    return wrong ? { kind: 'refused', error: wrong } : answer;
  }

  async release(request: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    if (request.heir && request.heirFirst) return this.#goOn(request, request.heir, timeoutMs);
    const heir = this.#clock.isWrong ? undefined : request.heir;
    const answer = await this.#backend.release({ ...request, heir }, timeoutMs);
    if (answer.kind !== 'released' || !answer.heir || !heir || !this.#clock.isWrong) return answer;
    await this.#giveBack({ lockId: request.lockId, ownerToken: heir.ownerToken });
    return { kind: 'released' };
  }

  inspect(lockId: string, timeoutMs: number): Promise<Viewed | Failed> {
    return this.#backend.inspect(lockId, timeoutMs);
  }

  list(request: ListRequest, timeoutMs: number): Promise<Listed | Failed> {
    return this.#backend.list(request, timeoutMs);
  }

  break(request: BreakRequest, timeoutMs: number): Promise<BreakAnswer | Failed> {
    return this.#backend.break(request, timeoutMs);
  }

  close(): void {
    this.#backend.close();
  }

  // The hold goes on under another token, by this clock: no giving back, but as good as acquired.
  async #goOn(request: ReleaseRequest, heir: Heir, timeoutMs: number): Promise<Answer> {
    const { lockId } = request;
    const { answer, wrong } = await this.#guarded(request, timeoutMs, (leftMs) =>
      this.#backend.release(request, leftMs),
    );
    if (!wrong) return answer;
    const grant = answer.kind === 'released' ? answer.heir : undefined;
    return this.#refused({ lockId, ownerToken: heir.ownerToken }, grant ?? answer, wrong);
  }

  // `wrong`: a reply that came in meanwhile showed the clock to be wrong, and the answer is not to be believed.
  async #guarded(
    { lockId }: TokenRequest,
    timeoutMs: number,
    send: (leftMs: number, wrong: SignalSource) => Promise<Answer>,
  ): Promise<{ answer: Answer; wrong?: ClockSkewError }> {
    let leftMs = timeoutMs;
    if (this.#clock.isWrong || !this.#clock.isKnown) {
      const askedMs = performance.now();
      const looked = await this.#backend.inspect(lockId, timeoutMs);
      if (looked.kind !== 'viewed') return { answer: looked };
      if (this.#clock.isWrong) return { answer: { kind: 'refused', error: this.#error() } };
      leftMs = Math.max(1, timeoutMs - (performance.now() - askedMs));
    }
    const abort = new AbortController();
    let wrong: ClockSkewError | undefined;
    const unlisten = this.#clock.onDoubt(() => {
      if (this.#clock.isWrong) wrong ??= this.#error();
      abort.abort();
    });
    const answer = await send(leftMs, abort);
    unlisten();
    // A failure says more about what became of the request than the clock does.
    return wrong && !('error' in answer) ? { answer, wrong } : { answer };
  }

  async #refused(request: TokenRequest, { kind }: Answer, error: ClockSkewError): Promise<Answer> {
    // (A place in line has been left by then: the wait was stopped.)
    if (kind !== 'granted' || (await this.#giveBack(request))) return { kind: 'refused', error };
    const text = `${error.message}; what it got of lock ${JSON.stringify(request.lockId)} is not given back for sure`;
    return {
      kind: 'unknown',
      answered: true,
      error: new LockServiceError(text, { outcomeUnknown: true, cause: error }),
    };
  }

  async #giveBack({ lockId, ownerToken }: TokenRequest): Promise<boolean> {
    const { kind } = await this.#backend.release({ lockId, ownerToken, expectWaiters: false }, releaseTimeoutMs);
    return kind === 'released' || kind === 'lost';
  }

  #error(): ClockSkewError {
    const { offsetMs, toleranceMs } = this.#clock;
    return new ClockSkewError(offsetMs, toleranceMs);
  }
}
