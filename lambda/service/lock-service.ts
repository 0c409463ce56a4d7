import { isFree, isSpent, type LockItem } from './lock-item.ts';
import { type Identity, type ListQuery, type LockStore, StoreUnavailableError } from './lock-store.ts';
import {
  type AttemptOutcome,
  type BreakOutcome,
  type Granted,
  type Held,
  type Inspected,
  type LeaseLost,
  type Listed,
  type ReleaseOutcome,
  type RenewOutcome,
  viewOf,
} from './outcomes.ts';
import type { Surroundings } from './surroundings.ts';
import { defaultTiming, type Timing } from './timing.ts';

export interface AttemptRequest {
  readonly lockId: string;
  readonly ownerToken: string;
  readonly leaseMs: number;
  readonly identity: Identity;
}

export interface AcquireRequest extends AttemptRequest {
  /** How long to wait at the most, milliseconds. */
  readonly waitMs: number;
  /** Whether the caller confirms a grant that it waited for: then that grant is provisional. */
  readonly confirm: boolean;
}

// A refusal is decided again from its item; each round needs another writer to have come between, so a few are plenty.
const decisionRounds = 5;

/**
 * The rules of the lock, each operation one conditional write of the store.
 *
 * Every operation may be repeated with the same owner token: a repeat never takes a lock from its holder and finds what
 * the first one did. Rejects with {@link StoreUnavailableError} when the outcome is unknown and with `StoreFailedError`
 * when the store refused the call itself.
 */
export class LockService {
  readonly #store: LockStore;
  readonly #surroundings: Surroundings;
  readonly #timing: Timing;

  constructor(store: LockStore, surroundings: Surroundings, timing: Timing = defaultTiming) {
    this.#store = store;
    this.#surroundings = surroundings;
    this.#timing = timing;
  }

  /** Takes the lock if it is free. One write when it is. */
  try(request: AttemptRequest): Promise<AttemptOutcome> {
    return this.#claim(request, { afterWaiting: false, confirm: false });
  }

  /**
   * Takes the lock, looking again every so often until `waitMs` is over. At least one attempt is made.
   *
   * Looks are eventually consistent reads: half the price of a refused write, and no load on the holder's renewals.
   */
  async acquire(request: AcquireRequest): Promise<AttemptOutcome> {
    const { waitMs, confirm, lockId } = request;
    const endsAt = this.#surroundings.now() + waitMs;
    let outcome = await this.#claim(request, { afterWaiting: false, confirm });
    while (outcome.kind === 'held') {
      const pauseMs = this.#pauseMs(outcome, endsAt);
      if (pauseMs === undefined) return outcome;
      await this.#surroundings.sleep(pauseMs);
      const item = await this.#store.read(lockId, { consistent: false });
      const worthAWrite = item === undefined || item.owner === request.ownerToken || isFree(item, this.#cut());
      outcome = worthAWrite
        ? await this.#claim(request, { afterWaiting: true, confirm })
        : this.#held(item, this.#surroundings.now());
    }
    return outcome;
  }

  /** Extends the lease, or confirms a provisional grant. Never creates an item, never touches a successor. */
  async renew(request: AttemptRequest): Promise<RenewOutcome> {
    const { lockId, ownerToken: me, leaseMs, identity } = request;
    for (let round = 0; round < decisionRounds; round++) {
      const now = this.#surroundings.now();
      const until = now + leaseMs;
      const { written, item } = await this.#store.renew({ lockId, me, until, identity, ttl: this.#ttl(until) });
      if (item?.owner !== me) return lost(item, me);
      // Refused although it is mine for longer: a later renewal got through first.
      if (written || (item.until ?? 0) >= until) return this.#granted(item, request, now);
      // It became mine between the refusal and the look at it.
    }
    throw new StoreUnavailableError('the hold changed at every attempt to renew it');
  }

  /** Gives the lock back. A repeat of a release that was applied finds it done. */
  async release(request: { lockId: string; ownerToken: string }): Promise<ReleaseOutcome> {
    const { lockId, ownerToken: me } = request;
    for (let round = 0; round < decisionRounds; round++) {
      const { written, item } = await this.#store.release({ lockId, me, ttl: this.#ttl(this.#surroundings.now()) });
      if (written || item?.last === me) return { kind: 'released' };
      if (item?.owner !== me) return lost(item, me);
      // It became mine between the refusal and the look at it, or somebody stands in line.
    }
    throw new StoreUnavailableError('the hold changed at every attempt to release it');
  }

  /** Looks at one lock, strongly consistent. */
  async inspect(lockId: string): Promise<Inspected> {
    const item = await this.#store.read(lockId, { consistent: true });
    return { kind: 'inspected', view: this.#view(lockId, item) };
  }

  /** Looks at many locks, page by page, eventually consistent. */
  async list(query: Omit<ListQuery, 'cut'>): Promise<Listed> {
    const { items, next } = await this.#store.list({ ...query, cut: this.#cut() });
    const views = items.map((item) => this.#view(item.lockId, item));
    return { kind: 'listed', views, ...(next !== undefined && { next }) };
  }

  /**
   * Takes the lock from the holder whose grant had this fencing token, and from nobody else. The fence grows, so that a
   * resource which saw the next grant refuses the broken holder.
   */
  async break(request: { lockId: string; fencingToken: number }): Promise<BreakOutcome> {
    const { lockId, fencingToken } = request;
    let item = await this.#store.read(lockId, { consistent: true });
    const victim = item?.owner;
    for (let round = 0; round < decisionRounds; round++) {
      if (item?.owner === undefined) return { kind: 'not-held' };
      // Never "decide again" on a new victim: whoever holds now was not looked at.
      if (item.fence !== fencingToken || item.owner !== victim) {
        return { kind: 'holder-changed', view: this.#view(lockId, item) };
      }
      const { rev, fence, holder, principal } = item;
      const ttl = this.#ttl(this.#surroundings.now());
      const result = await this.#store.breakHold({ lockId, victim: item.owner, rev, fence, ttl });
      if (result.written || result.item?.broken === victim) {
        return {
          kind: 'broken',
          ...(holder !== undefined && { holder }),
          ...(principal !== undefined && { principal }),
          view: this.#view(lockId, result.item),
        };
      }
      item = result.item;
    }
    throw new StoreUnavailableError('the hold changed at every attempt to break it');
  }

  async #claim(
    request: AttemptRequest,
    { afterWaiting, confirm }: { afterWaiting: boolean; confirm: boolean },
  ): Promise<AttemptOutcome> {
    const { lockId, ownerToken: me, leaseMs, identity } = request;
    const provisional = afterWaiting && confirm;
    let last: LockItem | undefined;
    for (let round = 0; round < decisionRounds; round++) {
      const now = this.#surroundings.now();
      const until = now + (provisional ? this.#timing.claimWindowMs : leaseMs);
      const result = await this.#store.claim({
        lockId,
        me,
        now,
        cut: this.#cut(now),
        until,
        identity: provisional ? undefined : identity,
        ttl: this.#ttl(until),
      });
      if (result.written) return this.#granted(result.item, request, now);
      const { item } = result;
      last = item;
      // It vanished between the refusal and the look at it: free again.
      if (item === undefined) continue;
      if (isSpent(item, me)) return { kind: 'token-spent' };
      if (item.owner === me) {
        // Mine from an earlier attempt whose reply was lost. A caller that confirms does so itself and counts its lease
        // from there; for the others it is confirmed here. Without that it would be a guess, not a grant.
        if (provisional) return this.#granted(item, request, now, true);
        const renewed = await this.renew(request);
        if (renewed.kind === 'granted') return renewed;
        continue;
      }
      // Free after all, by a clock that is later than the refused one's: claim once more.
      if (isFree(item, this.#cut()) && item.queue.length === 0) continue;
      return this.#held(item, this.#surroundings.now());
    }
    if (last === undefined) throw new StoreUnavailableError('the lock vanished at every attempt to claim it');
    return this.#held(last, this.#surroundings.now());
  }

  // How long to pause before the next look: at random, so that waiters do not move in step, but not past the moment at
  // which the lease is over, and not past the end of the wait. Nothing: the wait is over.
  #pauseMs(held: Held, endsAt: number): number | undefined {
    const { min, max } = this.#timing.pollMs;
    const leftMs = endsAt - this.#surroundings.now();
    if (leftMs <= 0) return undefined;
    const jittered = min + this.#surroundings.random() * (max - min);
    const overInMs = held.until + this.#timing.clockSkewMs - this.#surroundings.now();
    return Math.ceil(Math.min(jittered, leftMs, overInMs > 0 ? overInMs : jittered));
  }

  #granted(item: LockItem, request: AttemptRequest, now: number, provisional = item.principal === undefined): Granted {
    return {
      kind: 'granted',
      lockId: request.lockId,
      ownerToken: request.ownerToken,
      fencingToken: item.fence,
      leaseMs: provisional ? this.#timing.claimWindowMs : request.leaseMs,
      until: item.until ?? now,
      now,
      provisional,
      waiters: item.queue.length,
    };
  }

  #held(item: LockItem, now: number): Held {
    const { holder, principal, until = now } = item;
    return {
      kind: 'held',
      ...(holder !== undefined && { holder }),
      ...(principal !== undefined && { principal }),
      until,
      expiresInMs: Math.max(0, until - now),
      waiters: item.queue.length,
      retryAfterMs: this.#timing.pollMs.max,
    };
  }

  #view(lockId: string, item: LockItem | undefined) {
    const now = this.#surroundings.now();
    return viewOf(lockId, item, now, this.#cut(now));
  }

  #cut(now = this.#surroundings.now()): number {
    return now - this.#timing.clockSkewMs;
  }

  // Seconds, as DynamoDB's time to live wants them: retention counts from the end of the lease.
  #ttl(until: number): number {
    return Math.ceil((until + this.#timing.retentionMs) / 1_000);
  }
}

function lost(item: LockItem | undefined, me: string): LeaseLost {
  if (item === undefined) return { kind: 'lease-lost', reason: 'absent' };
  return { kind: 'lease-lost', reason: item.broken === me ? 'broken' : 'superseded' };
}
