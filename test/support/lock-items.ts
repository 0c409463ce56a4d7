import type { LockItem } from '../../lambda/service/lock-item.ts';
import type { Claim, Renew } from '../../lambda/service/lock-store.ts';

/** The moment at which the tests' stories begin, epoch milliseconds. */
export const T0 = 1_800_000_000_000;

/** The clock margin of the tests, milliseconds. */
export const margin = 500;

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
