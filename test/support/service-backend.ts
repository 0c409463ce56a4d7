import { LockService } from '../../lambda/service/lock-service.ts';
import { MemoryLockStore } from '../../lambda/store/memory-lock-store.ts';
import type {
  AcquireRequest,
  Answer,
  Backend,
  BreakAnswer,
  BreakRequest,
  Failed,
  LeaseRequest,
  Listed,
  ListRequest,
  ReleaseRequest,
  TokenRequest,
  Viewed,
} from '../../sdk/backend.ts';
import { LockServiceError } from '../../sdk/errors.ts';
import { InProcessBackend } from '../../sdk/in-process/in-process-backend.ts';
import { processSurroundings } from '../../sdk/in-process/surroundings.ts';

type Operation = 'try' | 'acquire' | 'renew' | 'release';

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
 * A backend straight over the real lock service in memory, in whatever time the test runs on, that notes every call with
 * an owner token and lets a test decide what befalls each.
 *
 * It stands for a service at the other end of a network: who gives up does not reach a request under way.
 */
export class ServiceBackend implements Backend {
  readonly calls: Call[] = [];
  readonly releases: ReleaseRequest[] = [];
  /** Asked before each call, by its number among the calls of its operation, from 0. */
  fault: (call: Call, index: number) => Fault | undefined = () => undefined;
  /** What a reply takes to arrive, milliseconds. */
  replyMs = 0;
  readonly service: LockService;
  readonly #inner: InProcessBackend;

  constructor(store = new MemoryLockStore()) {
    this.service = new LockService(store, { ...processSurroundings, random: () => 0.5 });
    this.#inner = new InProcessBackend(this.service, 'test');
  }

  try(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#call('try', request, timeoutMs, () => this.#inner.try(request, timeoutMs));
  }

  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer> {
    const { signal } = new AbortController();
    return this.#call('acquire', request, timeoutMs, () => this.#inner.acquire({ ...request, signal }, timeoutMs));
  }

  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#call('renew', request, timeoutMs, () => this.#inner.renew(request, timeoutMs));
  }

  release(request: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    this.releases.push(request);
    return this.#call('release', request, timeoutMs, () => this.#inner.release(request, timeoutMs));
  }

  inspect(lockId: string, timeoutMs: number): Promise<Viewed | Failed> {
    return this.#inner.inspect(lockId, timeoutMs);
  }

  list(request: ListRequest, timeoutMs: number): Promise<Listed | Failed> {
    return this.#inner.list(request, timeoutMs);
  }

  break(request: BreakRequest, timeoutMs: number): Promise<BreakAnswer | Failed> {
    return this.#inner.break(request, timeoutMs);
  }

  close(): void {
    this.#inner.close();
  }

  callsOf(operation: Operation): Call[] {
    return this.calls.filter((call) => call.operation === operation);
  }

  async #call(
    operation: Operation,
    { lockId, ownerToken, waitMs, leaseMs }: TokenRequest & { waitMs?: number; leaseMs?: number },
    timeoutMs: number,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const index = this.callsOf(operation).length;
    const times = { ...(waitMs !== undefined && { waitMs }), ...(leaseMs !== undefined && { leaseMs }) };
    const call = { operation, lockId, ownerToken, timeoutMs, ...times };
    this.calls.push(call);
    const fault = this.fault(call, index);
    if (typeof fault === 'object') return fault;
    if (fault === 'lost-request') return unanswered();
    const answer = await run();
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
