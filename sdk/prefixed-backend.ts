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
} from './backend.ts';
import type { LockView } from './wire/lock-view.ts';

/**
 * A backend whose every lock id has a prefix at the backend behind it, and none before it: programs with different
 * prefixes, neither of which begins with the other, cannot meet.
 *
 * It trusts that prefix and id together are a lock id.
 */
export class PrefixedBackend implements Backend {
  readonly #backend: Backend;
  readonly #prefix: string;

  constructor(backend: Backend, prefix: string) {
    this.#backend = backend;
    this.#prefix = prefix;
  }

  try(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#backend.try(this.#prefixed(request), timeoutMs);
  }

  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer> {
    return this.#backend.acquire(this.#prefixed(request), timeoutMs);
  }

  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#backend.renew(this.#prefixed(request), timeoutMs);
  }

  release(request: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#backend.release(this.#prefixed(request), timeoutMs);
  }

  async inspect(lockId: string, timeoutMs: number): Promise<Viewed | Failed> {
    return withoutPrefix(lockId, await this.#backend.inspect(this.#prefix + lockId, timeoutMs));
  }

  async list(request: ListRequest, timeoutMs: number): Promise<Listed | Failed> {
    const prefix = this.#prefix + request.prefix;
    const answer = await this.#backend.list({ ...request, prefix }, timeoutMs);
    if (answer.kind !== 'listed') return answer;
    return { ...answer, views: answer.views.flatMap((view) => this.#own(view)) };
  }

  async break(request: BreakRequest, timeoutMs: number): Promise<BreakAnswer | Failed> {
    return withoutPrefix(request.lockId, await this.#backend.break(this.#prefixed(request), timeoutMs));
  }

  close(): void {
    this.#backend.close();
  }

  #prefixed<T extends { readonly lockId: string }>(request: T): T {
    return { ...request, lockId: this.#prefix + request.lockId };
  }

  // A lock whose whole id is the prefix is none of ours: an id has at least one character behind it.
  #own(view: LockView): LockView[] {
    const isOwn = view.lockId.startsWith(this.#prefix) && view.lockId.length > this.#prefix.length;
    return isOwn ? [{ ...view, lockId: view.lockId.slice(this.#prefix.length) }] : [];
  }
}

function withoutPrefix<T extends { readonly kind: string }>(lockId: string, answer: T): T {
  return 'view' in answer ? { ...answer, view: { ...(answer.view as LockView), lockId } } : answer;
}
