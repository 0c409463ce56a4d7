/**
 * One lock as it is stored, attribute for attribute. Attribute names are short because DynamoDB's units go by item
 * size. Times are epoch milliseconds of the service's clock, except `ttl`.
 */
export interface LockItem {
  readonly lockId: string;
  /** Owner token of the current holder: a secret. Absent when free. */
  readonly owner?: string;
  /** End of the lease. */
  readonly until?: number;
  /** The last fencing token given out. */
  readonly fence: number;
  /** When the current holder got it. */
  readonly since?: number;
  /** Label of the holder for people, untrusted. */
  readonly holder?: string;
  /** Who the authorizer says the holder is. A provisional hold has neither `holder` nor `principal`. */
  readonly principal?: string;
  /** Owner token of the holder that released or handed over last: makes release repeatable. */
  readonly last?: string;
  /** Owner token of the holder that an administrator broke last, so that it learns why. */
  readonly broken?: string;
  /** Owner tokens of the waiters, first come first. */
  readonly queue: readonly string[];
  /** Until when each waiter's place is valid, by owner token. */
  readonly tickets: Readonly<Record<string, number>>;
  /** +1 with every write. */
  readonly rev: number;
  /** Epoch seconds after which DynamoDB may delete the item. Nothing depends on it. */
  readonly ttl: number;
}

/**
 * Whether it is what the service writes, as far as anything is decided by it. Others that may write to the table may have
 * put something else there.
 */
export function isWellFormed(item: { readonly [name in keyof LockItem]?: unknown }): boolean {
  const { lockId, owner, until, fence, queue, tickets, rev, ttl } = item;
  const isHold = owner === undefined ? until === undefined : typeof owner === 'string' && Number.isInteger(until);
  const isLine = Array.isArray(queue) && queue.every((token) => typeof token === 'string');
  const isMap = typeof tickets === 'object' && tickets !== null && !Array.isArray(tickets);
  return typeof lockId === 'string' && isHold && isLine && isMap && [fence, rev, ttl].every(Number.isInteger);
}

/** FREE: no owner, or the lease is over by more than the clock margin (`until ≤ cut`). */
export function isFree(item: LockItem, cut: number): boolean {
  return item.owner === undefined || (item.until ?? 0) <= cut;
}

/** SPENT(me): this token has had its lease and was released, handed over or broken. */
export function isSpent(item: LockItem, me: string): boolean {
  return item.last === me || item.broken === me;
}

/**
 * Whether nothing depends on the item any more, as when its time to live is over: it is free since before `before`, no
 * place in line is kept in it, its retention ended by `ttl` (seconds), and the clock has passed its last fencing token,
 * at which a new item would start.
 */
export function isLongAtRest(item: LockItem, { before, ttl }: { before: number; ttl: number }): boolean {
  return isFree(item, before) && item.queue.length === 0 && item.fence < before && item.ttl <= ttl;
}
