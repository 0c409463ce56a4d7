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
  Viewed,
} from '../../sdk/backend.ts';
import { LockServiceError } from '../../sdk/errors.ts';

export type ScriptedAnswer = Answer | Viewed | Listed | BreakAnswer;

export interface ScriptedCall {
  readonly operation: Exclude<keyof Backend, 'close'>;
  /** The request, or the lock id where that is all. */
  readonly request: unknown;
  readonly timeoutMs: number;
}

/** A backend without a lock behind it, that notes every call and answers what the test says. */
export class ScriptedBackend implements Backend {
  readonly calls: ScriptedCall[] = [];
  closed = 0;
  /** Asked for each answer, with the number of the call, from 0. */
  answer: (call: ScriptedCall, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

  constructor(answer: ScriptedBackend['answer'] = () => unanswered()) {
    this.answer = answer;
  }

  try(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#call('try', request, timeoutMs);
  }

  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer> {
    return this.#call('acquire', request, timeoutMs);
  }

  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#call('renew', request, timeoutMs);
  }

  release(request: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#call('release', request, timeoutMs);
  }

  inspect(lockId: string, timeoutMs: number): Promise<Viewed | Failed> {
    return this.#call('inspect', lockId, timeoutMs);
  }

  list(request: ListRequest, timeoutMs: number): Promise<Listed | Failed> {
    return this.#call('list', request, timeoutMs);
  }

  break(request: BreakRequest, timeoutMs: number): Promise<BreakAnswer | Failed> {
    return this.#call('break', request, timeoutMs);
  }

  close(): void {
    this.closed++;
  }

  // What the test says is what the operation answers: it knows which one it is asked about.
  async #call<T>(operation: ScriptedCall['operation'], request: unknown, timeoutMs: number): Promise<T> {
    const call = { operation, request, timeoutMs };
    this.calls.push(call);
    return (await this.answer(call, this.calls.length - 1)) as T;
  }
}

/** What a client sees of a request whose reply never came. */
export function unanswered(): Failed {
  return {
    kind: 'unknown',
    answered: false,
    error: new LockServiceError('connection reset', { outcomeUnknown: true, requestId: 'r-1' }),
  };
}

/** What a client sees when the service has too much to do. */
export function throttled(): Failed {
  return { kind: 'throttled', error: new LockServiceError('slow down', { outcomeUnknown: false }) };
}
