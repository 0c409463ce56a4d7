import { LockService } from '../../lambda/service/lock-service.ts';
import type { AcquireOutcome, ReleaseOutcome, RenewOutcome } from '../../lambda/service/outcomes.ts';
import { MemoryLockStore } from '../../lambda/store/memory-lock-store.ts';
import type {
  AcquireRequest,
  Answer,
  Backend,
  Heir,
  LeaseRequest,
  ReleaseRequest,
  TokenRequest,
} from '../../sdk/backend.ts';
import { LockServiceError } from '../../sdk/errors.ts';

type Operation = keyof Backend;

export interface Call {
  readonly operation: Operation;
  readonly lockId: string;
  readonly ownerToken: string;
  readonly timeoutMs: number;
  readonly leaseMs?: number;
  readonly waitMs?: number;
}

/** What happens to one call instead of the plain answer. */
export type Fault =
  /** It never reaches the service. */
  | 'lost-request'
  /** It is applied, its reply is lost. */
  | 'lost-reply'
  /** It is applied, and nothing is heard until the time-out. */
  | 'silence'
  | Answer;

/**
 * A backend straight over the real lock service in memory, in whatever time the test runs on, that notes every call and
 * lets a test decide what befalls each.
 */
export class ServiceBackend implements Backend {
  readonly calls: Call[] = [];
  readonly releases: ReleaseRequest[] = [];
  /** Asked before each call, by its number among the calls of its operation, from 0. */
  fault: (call: Call, index: number) => Fault | undefined = () => undefined;
  /** What a reply takes to arrive, milliseconds. */
  replyMs = 0;
  readonly service: LockService;

  constructor(store = new MemoryLockStore()) {
    this.service = new LockService(store, {
      now: () => Date.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      random: () => 0.5,
    });
  }

  try(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#call('try', request, timeoutMs, () => this.service.try(attempt(request)));
  }

  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer> {
    const { waitMs, resume } = request;
    return this.#call('acquire', request, timeoutMs, () =>
      this.service.acquire({ ...attempt(request), waitMs, confirm: true, keepPlace: true, resume }),
    );
  }

  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#call('renew', request, timeoutMs, () => this.service.renew(attempt(request)));
  }

  release(request: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    this.releases.push(request);
    return this.#call('release', request, timeoutMs, () =>
      this.service.release({ ...request, heir: request.heir && heirOf(request.heir) }),
    );
  }

  callsOf(operation: Operation): Call[] {
    return this.calls.filter((call) => call.operation === operation);
  }

  async #call(
    operation: Operation,
    { lockId, ownerToken, waitMs, leaseMs }: TokenRequest & { waitMs?: number; leaseMs?: number },
    timeoutMs: number,
    run: () => Promise<AcquireOutcome | RenewOutcome | ReleaseOutcome>,
  ): Promise<Answer> {
    const index = this.callsOf(operation).length;
    const times = { ...(waitMs !== undefined && { waitMs }), ...(leaseMs !== undefined && { leaseMs }) };
    const call = { operation, lockId, ownerToken, timeoutMs, ...times };
    this.calls.push(call);
    const fault = this.fault(call, index);
    if (typeof fault === 'object') return fault;
    if (fault === 'lost-request') return unanswered();
    const answer = answerOf(await run());
    if (fault === 'lost-reply') return unanswered();
    if (fault === 'silence') {
      await new Promise((resolve) => setTimeout(resolve, timeoutMs));
      return unanswered();
    }
    if (this.replyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.replyMs));
    return answer;
  }
}

/** What a client sees of a request whose reply never came. */
export function unanswered(): Answer {
  const error = new LockServiceError('connection reset', { outcomeUnknown: true });
  return { kind: 'unknown', answered: false, error };
}

function heirOf({ ownerToken, leaseMs, holder }: Heir) {
  return { ownerToken, leaseMs, identity: { holder, principal: 'test' } };
}

function attempt({ lockId, ownerToken, leaseMs, holder }: LeaseRequest) {
  return { lockId, ownerToken, leaseMs, identity: { holder, principal: 'test' } };
}

function answerOf(outcome: AcquireOutcome | RenewOutcome | ReleaseOutcome): Answer {
  switch (outcome.kind) {
    case 'held':
      return { ...outcome, holder: outcome.holder };
    case 'lease-lost':
      return { kind: 'lost', reason: outcome.reason };
    case 'token-spent':
    case 'place-lost':
      return { kind: 'spent' };
    case 'still-waiting':
      return { ...outcome, kind: 'waiting', holder: outcome.holder };
    case 'released':
      return { kind: 'released', heir: outcome.heir };
    case 'gave-up':
      throw new Error('nobody gave up');
    default:
      return outcome;
  }
}
