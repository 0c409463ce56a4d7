import { type AcquireRequest, acquire, attempt } from './acquiring.ts';
import { breakHold } from './breaking.ts';
import type { ListQuery, LockStore } from './lock-store.ts';
import type {
  AcquireOutcome,
  AttemptOutcome,
  BreakOutcome,
  Inspected,
  Listed,
  ReleaseOutcome,
  RenewOutcome,
} from './outcomes.ts';
import { type ReleaseRequest, release } from './releasing.ts';
import { renew } from './renewal.ts';
import { type AttemptRequest, Rules } from './rules.ts';
import type { Surroundings } from './surroundings.ts';
import { defaultTiming, type Timing } from './timing.ts';

/**
 * The rules of the lock, each operation one conditional write of the store.
 *
 * Every operation may be repeated with the same owner token: a repeat never takes a lock from its holder nor a place from
 * a live waiter, and finds what the first one did. Rejects with `StoreUnavailableError` when the outcome is unknown and
 * with `StoreFailedError` when the store refused the call itself.
 */
export class LockService {
  readonly #rules: Rules;

  constructor(store: LockStore, surroundings: Surroundings, timing: Timing = defaultTiming) {
    this.#rules = new Rules(store, surroundings, timing);
  }

  /** Takes the lock if it is free and nobody stands in line. One write when it is. */
  try(request: AttemptRequest): Promise<AttemptOutcome> {
    return attempt(this.#rules, request);
  }

  /** Takes the lock, standing in line for it up to `waitMs`. */
  acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    return acquire(this.#rules, request);
  }

  /** Extends the lease, or confirms a provisional grant. */
  renew(request: AttemptRequest): Promise<RenewOutcome> {
    return renew(this.#rules, request);
  }

  /** Gives up the hold, or the place in line, of a token. */
  release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    return release(this.#rules, request);
  }

  /** Looks at one lock, strongly consistent. */
  async inspect(lockId: string): Promise<Inspected> {
    const item = await this.#rules.store.read(lockId, { consistent: true });
    return { kind: 'inspected', view: this.#rules.view(lockId, item) };
  }

  /** Looks at many locks, page by page, eventually consistent. */
  async list(query: Omit<ListQuery, 'cut'>): Promise<Listed> {
    const { items, next } = await this.#rules.store.list({ ...query, cut: this.#rules.cut() });
    const views = items.map((item) => this.#rules.view(item.lockId, item));
    return { kind: 'listed', views, ...(next !== undefined && { next }) };
  }

  /** Takes the lock from the holder whose grant had this fencing token, and from nobody else. */
  break(request: { lockId: string; fencingToken: number }): Promise<BreakOutcome> {
    return breakHold(this.#rules, request);
  }
}
