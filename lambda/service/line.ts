import type { LockItem } from './lock-item.ts';
import type { Place } from './lock-store.ts';

/** Index of a waiter in the line, from 0; -1 when it does not stand in it. */
export function placeOf(item: LockItem | undefined, me: string): number {
  return item?.queue.indexOf(me) ?? -1;
}

/** The first waiter whose ticket is valid, with those before it; nobody when every ticket has ended. */
export function firstValid(item: LockItem, cut: number): (Place & { readonly owner: string }) | undefined {
  const place = item.queue.findIndex((waiter) => ticketOf(item, waiter) > cut);
  const owner = item.queue[place];
  return owner === undefined ? undefined : { owner, before: item.queue.slice(0, place) };
}

/** What a waiter needs to take the lock as the head of the line. */
export interface HeadClaim extends Place {
  readonly skipped: readonly string[];
  /** The lease must have ended by this. */
  readonly over: number;
}

/**
 * How the waiter at `place` may take the lock: each one before it whose ticket is valid has a claim window of its own,
 * after the lease's end and before mine; those whose tickets ended before that are skipped.
 *
 * The windows are the smallest number for which at most that many waiters before me have a ticket that is valid at
 * `over`, the cut less so many claim windows.
 */
export function headClaim(item: LockItem, place: number, cut: number, claimWindowMs: number): HeadClaim {
  const before = item.queue.slice(0, place);
  for (let windows = 0; ; windows++) {
    const over = cut - windows * claimWindowMs;
    const skipped = before.filter((waiter) => ticketOf(item, waiter) <= over);
    if (before.length - skipped.length <= windows) return { before, skipped, over };
  }
}

/**
 * From when on, plus the clock margin, the waiter at `place` may take the lock by {@link headClaim} if nobody does
 * anything until then.
 */
export function opensTo(item: LockItem, place: number, claimWindowMs: number): number {
  const before = item.queue.slice(0, place).map((waiter) => ticketOf(item, waiter));
  const lastFirst = before.sort((one, other) => other - one);
  // With so many windows, the lease and the tickets of all but as many before me must have ended.
  const moments = [...lastFirst, 0].map(
    (ticket, windows) => Math.max(item.until ?? 0, ticket) + windows * claimWindowMs,
  );
  return Math.min(...moments);
}

/** Until when a waiter's place is valid. */
export function ticketOf(item: LockItem, waiter: string): number {
  return item.tickets[waiter] ?? 0;
}

/** How many before a place have a ticket that is valid. */
export function validBefore(item: LockItem, place: number, cut: number): number {
  return item.queue.slice(0, place).filter((waiter) => ticketOf(item, waiter) > cut).length;
}
