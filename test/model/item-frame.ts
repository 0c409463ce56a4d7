import type { LockItem } from '../../lambda/service/lock-item.ts';
import { inTicks } from './ticks.ts';

/** Revision and fence of the item in every state: only whether another one equals them is of importance. */
export const currentRev = 100;
export const currentFence = 1_000;

type Changed = { -readonly [name in keyof LockItem]: LockItem[name] };

/** The same item when `ms` have passed, or had not. Times before `floor` are as good as `floor`. */
export function shiftItem(item: LockItem, ms: number, floor = Number.NEGATIVE_INFINITY): LockItem {
  const shifted: Changed = { ...item, ttl: item.ttl + ms / 1_000 };
  if (item.until !== undefined) shifted.until = Math.max(floor, item.until + ms);
  if (item.since !== undefined) shifted.since = Math.max(floor, item.since + ms);
  if (item.queue.length > 0) {
    const tickets = Object.entries(item.tickets).map(([waiter, end]) => [waiter, Math.max(floor, end + ms)]);
    shifted.tickets = Object.fromEntries(tickets);
  }
  return shifted;
}

/** The same item counted from the current revision and fence; all older ones look alike. */
export function asCurrent(item: LockItem): LockItem {
  return { ...item, rev: currentRev, fence: currentFence };
}

/** An item, or a pin, after another `revs` writes and `fences` grants. */
export function olderBy<T extends { readonly rev?: number; readonly fence?: number }>(
  pinned: T,
  revs: number,
  fences: number,
): T {
  if (pinned.rev === undefined || pinned.fence === undefined) return pinned;
  const rev = Math.max(currentRev - 1, pinned.rev - revs);
  const fence = Math.max(currentFence - 1, pinned.fence - fences);
  return { ...pinned, rev, fence };
}

const keys = new WeakMap<LockItem, string>();

/** All of an item that an operation can tell from another. `since` and `ttl` decide nothing. */
export function keyOfItem(item: LockItem | undefined): string {
  if (item === undefined) return 'none';
  const known = keys.get(item);
  if (known !== undefined) return known;
  const { owner = '-', until, last = '-', broken = '-', queue, tickets, rev, fence } = item;
  const hold = `${owner}${until === undefined ? '' : inTicks(until)}${item.principal === undefined ? 'p' : 'w'}`;
  const line = queue.map((waiter) => `${waiter}${inTicks(tickets[waiter] ?? Number.NaN)}`).join();
  const key = `${hold}[${line}]${last}${broken}${rev - currentRev}${fence - currentFence}`;
  keys.set(item, key);
  return key;
}
