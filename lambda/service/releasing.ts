import { firstValid, placeOf } from './line.ts';
import type { LockItem } from './lock-item.ts';
import { StoreUnavailableError, type WriteResult } from './lock-store.ts';
import type { Granted, ReleaseOutcome } from './outcomes.ts';
import { renew } from './renewal.ts';
import { type AttemptRequest, decisionRounds, type Rules } from './rules.ts';

export interface ReleaseRequest {
  readonly lockId: string;
  readonly ownerToken: string;
  /** The caller's last answer showed waiters: looking first saves a refused write. */
  readonly expectWaiters?: boolean | undefined;
  /** Who gets the lock in the same write when nobody stands in line: another contender of the same process. */
  readonly heir?: Omit<AttemptRequest, 'lockId'> | undefined;
  /** The heir goes before those in line: it is nobody new, but the holder itself under another token. */
  readonly heirFirst?: boolean | undefined;
}

/**
 * Gives up whatever a token has: the holder's hold goes to the first waiter whose ticket is valid, else to the heir, else
 * to nobody; a waiter leaves the line. A repeat finds it done.
 */
export async function release(rules: Rules, request: ReleaseRequest): Promise<ReleaseOutcome> {
  const { lockId, ownerToken: me, expectWaiters = false } = request;
  // An old look is good enough: each write below is guarded against it.
  let seen = expectWaiters ? await rules.store.read(lockId, { consistent: false }) : undefined;
  for (let round = 0; round < decisionRounds; round++) {
    const place = placeOf(seen, me);
    const attempt =
      place >= 0
        ? await leave(rules, lockId, me, place)
        : await giveUp(rules, request, seen?.owner === me ? seen : undefined);
    const { item, written, heir, handedOver } = attempt;
    if (written) return { kind: 'released', ...(heir && { heir }), ...(handedOver && { handedOver }) };
    if (item?.last === me) return released(rules, request, item);
    if (item?.owner !== me && placeOf(item, me) < 0) {
      // Where the store had to repeat the write, a successor may have released since: it was released or lost, and the
      // caller does not hold it. Only a break would have left its mark.
      const isDone = place >= 0 || (attempt.repeated === true && item?.broken !== me);
      return isDone ? { kind: 'released' } : rules.lost(item, me);
    }
    seen = item;
  }
  throw new StoreUnavailableError('the lock changed at every attempt to release it');
}

type Attempt = WriteResult & { readonly heir?: Granted; readonly handedOver?: true };

function leave(rules: Rules, lockId: string, me: string, place: number): Promise<Attempt> {
  return rules.store.leave({ lockId, me, place });
}

// Of a hold, as it was last seen, or not seen at all.
async function giveUp(rules: Rules, request: ReleaseRequest, seen: LockItem | undefined): Promise<Attempt> {
  const { store, timing } = rules;
  const { lockId, ownerToken: me, heir, heirFirst = false } = request;
  const now = rules.now();
  if (seen && seen.queue.length > 0 && !heirFirst) {
    const cut = rules.cut(now);
    const next = firstValid(seen, cut);
    const until = now + timing.claimWindowMs;
    if (next) {
      const result = await store.handOver({ lockId, me, next: { ...next, now, until }, cut, ttl: rules.ttl(until) });
      return { ...result, handedOver: true };
    }
    return store.releasePast({ lockId, me, rev: seen.rev, fence: seen.fence, ttl: rules.ttl(now) });
  }
  if (!heir) return store.release({ lockId, me, ttl: rules.ttl(now) });
  const until = now + heir.leaseMs;
  const { ownerToken, identity } = heir;
  const result = await store.transfer({
    lockId,
    me,
    heir: ownerToken,
    whileAwaited: heirFirst,
    now,
    until,
    identity,
    ttl: rules.ttl(until),
  });
  return result.written ? { ...result, heir: rules.granted(result.item, { lockId, ...heir }, now) } : result;
}

// Released by an earlier attempt. Its heir holds only if it is the owner, and only once that is confirmed.
async function released(rules: Rules, { lockId, heir }: ReleaseRequest, item: LockItem): Promise<ReleaseOutcome> {
  if (heir === undefined || item.owner !== heir.ownerToken) return { kind: 'released' };
  const confirmed = await renew(rules, { lockId, ...heir });
  return { kind: 'released', ...(confirmed.kind === 'granted' && { heir: confirmed }) };
}
