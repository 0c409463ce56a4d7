import { isFree, isSpent, type LockItem } from '../service/lock-item.ts';
import type {
  Break,
  Claim,
  ListQuery,
  ListResult,
  LockStore,
  Release,
  Renew,
  WriteResult,
} from '../service/lock-store.ts';

type Change = Partial<{ -readonly [name in keyof LockItem]: LockItem[name] | undefined }>;

/** Locks in the memory of this process, under the same guards as in DynamoDB. For one process only. */
export class MemoryLockStore implements LockStore {
  readonly #items: Map<string, LockItem>;

  /** @param items where the locks are kept, by lock id */
  constructor(items: Map<string, LockItem> = new Map()) {
    this.#items = items;
  }

  async claim({ lockId, me, now, cut, until, identity, ttl }: Claim): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (item && !(isFree(item, cut) && item.queue.length === 0 && !isSpent(item, me))) return refused(item);
    return this.#write(lockId, item, {
      owner: me,
      until,
      fence: (item?.fence ?? now) + 1,
      since: now,
      holder: identity?.holder,
      principal: identity?.principal,
      ttl,
    });
  }

  async renew({ lockId, me, until, identity, ttl }: Renew): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (!(item?.owner === me && ((item.until ?? 0) < until || item.principal === undefined))) return refused(item);
    // A renewal without a label leaves the one that is there.
    const { principal, holder = item.holder } = identity;
    return this.#write(lockId, item, { until, holder, principal, ttl });
  }

  async release({ lockId, me, ttl }: Release): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (!(item?.owner === me && item.queue.length === 0)) return refused(item);
    return this.#write(lockId, item, { ...noHold, last: me, ttl });
  }

  async breakHold({ lockId, victim, rev, fence, ttl }: Break): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (!(item?.owner === victim && item.rev === rev && item.fence === fence && item.queue.length === 0)) {
      return refused(item);
    }
    return this.#write(lockId, item, { ...noHold, broken: victim, fence: fence + 1, ttl });
  }

  async read(lockId: string): Promise<LockItem | undefined> {
    return this.#items.get(lockId);
  }

  async list({ prefix, state, cut, limit, after }: ListQuery): Promise<ListResult> {
    const ids = [...this.#items.keys()].sort().filter((lockId) => after === undefined || lockId > after);
    const examined = ids.slice(0, limit);
    const items = examined
      .filter((lockId) => lockId.startsWith(prefix))
      .flatMap((lockId) => this.#items.get(lockId) ?? [])
      .filter((item) => state === 'all' || state === stateOf(item, cut));
    const last = examined.at(-1);
    return { items, ...(ids.length > limit && last !== undefined && { next: last }) };
  }

  #write(lockId: string, before: LockItem | undefined, change: Change): WriteResult {
    const merged = { queue: [], tickets: {}, ...before, ...change, lockId, rev: (before?.rev ?? 0) + 1 };
    // An attribute that is removed is absent, as in a table, not present with no value.
    const item = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
    this.#items.set(lockId, Object.freeze(item) as unknown as LockItem);
    return { written: true, item: item as unknown as LockItem };
  }
}

const noHold: Change = {
  owner: undefined,
  until: undefined,
  since: undefined,
  holder: undefined,
  principal: undefined,
};

function refused(item: LockItem | undefined): WriteResult {
  return { written: false, item };
}

function stateOf(item: LockItem, cut: number): ListQuery['state'] {
  if (item.owner === undefined) return 'free';
  return isFree(item, cut) ? 'over' : 'held';
}
