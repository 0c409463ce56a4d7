import { isFree, isLongAtRest, isSpent, type LockItem } from '../service/lock-item.ts';
import type {
  Break,
  Claim,
  ClaimAsHead,
  ClaimPast,
  HandOver,
  Join,
  KeepTicket,
  Leave,
  ListQuery,
  ListResult,
  LockStore,
  Next,
  Pinned,
  Release,
  ReleasePast,
  Removal,
  Renew,
  Transfer,
  WriteResult,
} from '../service/lock-store.ts';

type Change = Partial<{ -readonly [name in keyof LockItem]: LockItem[name] | undefined }>;

// For each new item, how many others are looked at, whether their time to live is over: with more than one the store
// cannot grow for ever.
const examinedPerClaim = 2;

/**
 * Locks in the memory of this process, under the same guards as in DynamoDB. For one process only.
 *
 * As DynamoDB does, it deletes items whose `ttl` is over, sooner or later: while new ones are made.
 */
export class MemoryLockStore implements LockStore {
  readonly #items: Map<string, LockItem>;
  // How far the search for items to delete has come.
  #search: Iterator<LockItem>;
  // The highest fencing token of those deleted: a process may grant faster than the clock counts milliseconds.
  #fenceFloor = 0;

  /** @param items where the locks are kept, by lock id */
  constructor(items: Map<string, LockItem> = new Map()) {
    this.#items = items;
    this.#search = items.values();
  }

  async claim(claim: Claim): Promise<WriteResult> {
    const item = this.#items.get(claim.lockId);
    if (item && !(isFree(item, claim.cut) && item.queue.length === 0 && !isSpent(item, claim.me))) return refused(item);
    if (!item) this.#deleteOld(claim.now);
    return this.#write(claim.lockId, item, grant(item?.fence ?? Math.max(claim.now, this.#fenceFloor), claim));
  }

  async claimAsHead(claim: ClaimAsHead): Promise<WriteResult> {
    const { lockId, me, before, skipped, over } = claim;
    const item = this.#items.get(lockId);
    if (!(item && isFree(item, over) && item.queue[before.length] === me && ticketsEnded(item, skipped, over))) {
      return refused(item);
    }
    return this.#write(lockId, item, { ...grant(item.fence, claim), ...lineWithout(item, [...before, me]) });
  }

  async claimPast(claim: ClaimPast): Promise<WriteResult> {
    const item = this.#items.get(claim.lockId);
    if (!(item && isFree(item, claim.cut) && isSame(item, claim))) return refused(item);
    return this.#write(claim.lockId, item, { ...grant(item.fence, claim), ...noLine });
  }

  async join({ lockId, me, ticketEnd, lineLimit }: Join): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    const mayJoin =
      item?.owner !== undefined &&
      item.owner !== me &&
      !isSpent(item, me) &&
      !item.queue.includes(me) &&
      item.queue.length < lineLimit;
    if (!mayJoin) return refused(item);
    return this.#write(lockId, item, { queue: [...item.queue, me], tickets: { ...item.tickets, [me]: ticketEnd } });
  }

  async keepTicket({ lockId, me, ticketEnd }: KeepTicket): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    const ticket = item?.tickets[me];
    if (!(item && ticket !== undefined && ticket < ticketEnd)) return refused(item);
    return this.#write(lockId, item, { tickets: { ...item.tickets, [me]: ticketEnd } });
  }

  async leave({ lockId, me, place }: Leave): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (item?.queue[place] !== me) return refused(item);
    return this.#write(lockId, item, lineWithout(item, [me], place));
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

  async handOver({ lockId, me, next, cut, ttl }: HandOver): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (
      !(item?.owner === me && item.queue[next.before.length] === next.owner && ticketsEnded(item, next.before, cut))
    ) {
      return refused(item);
    }
    return this.#write(lockId, item, { ...grantToNext(item, next), last: me, ttl });
  }

  async releasePast({ lockId, me, rev, fence, ttl }: ReleasePast): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (!(item?.owner === me && isSame(item, { rev, fence }))) return refused(item);
    return this.#write(lockId, item, { ...noHold, ...noLine, last: me, ttl });
  }

  async transfer({ lockId, me, heir, whileAwaited, now, until, identity, ttl }: Transfer): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (!(item?.owner === me && (whileAwaited || item.queue.length === 0))) return refused(item);
    const { holder, principal } = identity;
    const fence = item.fence + 1;
    return this.#write(lockId, item, { owner: heir, until, fence, since: now, holder, principal, last: me, ttl });
  }

  async breakHold({ lockId, victim, rev, fence, ttl, next }: Break): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    const isLineAsSeen = rev === undefined ? item?.queue.length === 0 : item?.rev === rev;
    if (!(item?.owner === victim && item.fence === fence && isLineAsSeen)) return refused(item);
    const successor = next ? grantToNext(item, next) : { ...noHold, ...noLine, fence: fence + 1 };
    return this.#write(lockId, item, { ...successor, broken: victim, ttl });
  }

  async remove({ lockId, rev, fence, before, ttl }: Removal): Promise<WriteResult> {
    const item = this.#items.get(lockId);
    if (!(item && isSame(item, { rev, fence }) && isLongAtRest(item, { before, ttl }))) return refused(item);
    // Its fence needs no floor: the clock has passed it.
    this.#items.delete(lockId);
    return { written: true, item };
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

  #deleteOld(now: number): void {
    for (let examined = 0; examined < examinedPerClaim; examined++) {
      const next = this.#search.next();
      if (next.done) {
        this.#search = this.#items.values();
        return;
      }
      const { lockId, ttl, fence } = next.value;
      if (ttl * 1_000 >= now) continue;
      this.#items.delete(lockId);
      this.#fenceFloor = Math.max(this.#fenceFloor, fence);
    }
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

const noLine: Change = { queue: [], tickets: {} };

function grant(lastFence: number, { me, now, until, identity, ttl }: Claim): Change {
  const { holder, principal } = identity ?? {};
  return { owner: me, until, fence: lastFence + 1, since: now, holder, principal, ttl };
}

function grantToNext(item: LockItem, { owner, now, until, before }: Next): Change {
  return { ...noHold, owner, until, since: now, fence: item.fence + 1, ...lineWithout(item, [...before, owner]) };
}

// Takes waiters out from a place on. As in DynamoDB, places go by index and tickets by owner token.
function lineWithout(item: LockItem, gone: readonly string[], place = 0): Change {
  return {
    queue: item.queue.toSpliced(place, gone.length),
    tickets: Object.fromEntries(Object.entries(item.tickets).filter(([waiter]) => !gone.includes(waiter))),
  };
}

// As in DynamoDB, no comparison holds of a ticket that is missing.
function ticketsEnded(item: LockItem, waiters: readonly string[], by: number): boolean {
  return waiters.every((waiter) => (item.tickets[waiter] ?? Number.POSITIVE_INFINITY) <= by);
}

function isSame(item: LockItem, { rev, fence }: Pinned): boolean {
  return item.rev === rev && item.fence === fence;
}

function refused(item: LockItem | undefined): WriteResult {
  return { written: false, item };
}

function stateOf(item: LockItem, cut: number): ListQuery['state'] {
  if (item.owner === undefined) return 'free';
  return isFree(item, cut) ? 'over' : 'held';
}
