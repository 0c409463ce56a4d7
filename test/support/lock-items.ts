import type { LockItem } from '../../lambda/service/lock-item.ts';
import type {
  Claim,
  ClaimAsHead,
  ClaimPast,
  HandOver,
  Join,
  Next,
  ReleasePast,
  Renew,
  Transfer,
} from '../../lambda/service/lock-store.ts';

/** The moment at which the tests' stories begin, epoch milliseconds. */
export const T0 = 1_800_000_000_000;

/** The clock margin of the tests, milliseconds. */
export const margin = 500;

/** How long a provisional grant lasts in the tests, milliseconds. */
export const claimWindow = 3_000;

/** How many may stand in line in the tests. */
export const lineLimit = 64;

/** The owner token of somebody in a story: 22 characters of their name, again and again. */
export function tokenOf(name: string): string {
  return `${name}_`.repeat(22).slice(0, 22);
}

export const alice = tokenOf('alice');
export const bob = tokenOf('bob');
export const carol = tokenOf('carol');
export const dave = tokenOf('dave');

/** A lock that was held and released once, and is free. */
export function freeItem(lockId: string, more: Partial<LockItem> = {}): LockItem {
  return { lockId, fence: 100, last: dave, queue: [], tickets: {}, rev: 7, ttl: 1_800_600_000, ...more };
}

/** A lock that alice holds until 30 s after {@link T0}. */
export function heldItem(lockId: string, more: Partial<LockItem> = {}): LockItem {
  return {
    lockId,
    owner: alice,
    until: T0 + 30_000,
    fence: 100,
    since: T0,
    holder: 'host-a',
    principal: 'arn:aws:iam::1:user/alice',
    queue: [],
    tickets: {},
    rev: 7,
    ttl: 1_800_634_830,
    ...more,
  };
}

/** A lock that alice was granted provisionally: nobody's name on it. */
export function provisionalItem(lockId: string, more: Partial<LockItem> = {}): LockItem {
  const { holder: _holder, principal: _principal, ...item } = heldItem(lockId, { until: T0 + 3_000 });
  return { ...item, ...more };
}

/** The same item with one waiter in line. */
export function withWaiter(item: LockItem, waiter: string = carol): LockItem {
  return { ...item, queue: [waiter], tickets: { [waiter]: T0 + 5_000 } };
}

/** The same item with a line: until when each waiter's ticket is valid, first come first. */
export function withLine(item: LockItem, tickets: Readonly<Record<string, number>>): LockItem {
  return { ...item, queue: Object.keys(tickets), tickets };
}

/** A line of so many waiters, for {@link withLine}; their tickets are valid until 5 s after {@link T0}. */
export function lineOf(waiters: number, ticketEnd: number = T0 + 5_000): Record<string, number> {
  return Object.fromEntries(Array.from({ length: waiters }, (_, place) => [tokenOf(`waiter${place}`), ticketEnd]));
}

/** A claim at {@link T0} for 30 s. */
export function claimOf(lockId: string, me: string, more: Partial<Claim> = {}): Claim {
  const { now = T0, until = now + 30_000 } = more;
  return {
    lockId,
    me,
    now,
    cut: now - margin,
    until,
    identity: { holder: 'host-b', principal: 'arn:aws:iam::1:user/bob' },
    ttl: Math.ceil(until / 1_000) + 604_800,
    ...more,
  };
}

/** A renewal up to `until`. */
export function renewOf(lockId: string, me: string, until: number, more: Partial<Renew> = {}): Renew {
  const identity = { holder: 'host-a', principal: 'arn:aws:iam::1:user/alice' };
  return { lockId, me, until, identity, ttl: Math.ceil(until / 1_000) + 604_800, ...more };
}

/** A provisional claim at {@link T0} by a waiter, past those before it: all of their tickets must have ended. */
export function claimAsHeadOf(
  lockId: string,
  me: string,
  before: readonly string[],
  more: Partial<ClaimAsHead> = {},
): ClaimAsHead {
  const claim = claimOf(lockId, me, { identity: undefined, until: T0 + claimWindow });
  return { ...claim, before, skipped: before, over: claim.cut, ...more };
}

/** A claim at {@link T0} past a line in which nobody is left, seen in an item of {@link heldItem} or {@link freeItem}. */
export function claimPastOf(lockId: string, me: string, more: Partial<ClaimPast> = {}): ClaimPast {
  return { ...claimOf(lockId, me), rev: 7, fence: 100, ...more };
}

/** A request for a place in line until 10 s after {@link T0}. */
export function joinOf(lockId: string, me: string, more: Partial<Join> = {}): Join {
  return { lockId, me, ticketEnd: T0 + 10_000, lineLimit, ...more };
}

/** A waiter that is handed the lock at {@link T0}, for one claim window. */
export function nextOf(owner: string, before: readonly string[] = []): Next {
  return { owner, now: T0, until: T0 + claimWindow, before };
}

/** A hand-over at {@link T0}. */
export function handOverOf(lockId: string, me: string, next: Next, more: Partial<HandOver> = {}): HandOver {
  return { lockId, me, next, cut: T0 - margin, ttl: 1_800_700_000, ...more };
}

/** A release past a line in which nobody is left, seen in an item of {@link heldItem}. */
export function releasePastOf(lockId: string, me: string, more: Partial<ReleasePast> = {}): ReleasePast {
  return { lockId, me, rev: 7, fence: 100, ttl: 1_800_700_000, ...more };
}

/** A transfer at {@link T0} for 30 s. */
export function transferOf(lockId: string, me: string, heir: string, more: Partial<Transfer> = {}): Transfer {
  const identity = { holder: 'host-b', principal: 'arn:aws:iam::1:user/bob' };
  return { lockId, me, heir, now: T0, until: T0 + 30_000, identity, ttl: 1_800_700_000, ...more };
}
