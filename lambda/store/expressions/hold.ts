import type { Break, HandOver, Next, Release, ReleasePast, Renew, Transfer } from '../../service/lock-store.ts';
import { grantIdentity, identityChange } from './identity.ts';
import { leaveLine, ticketsEnded, type Update, update } from './update.ts';

const noHold = '#owner, #until, #since, #holder, #principal';

/**
 * renew(me): while I am the owner, the lease gets longer; a provisional grant becomes whole.
 *
 * Without `until < newUntil` a late older renewal would shorten the lease and two could hold. Without "no principal" a
 * lease shorter than the rest of the claim window would never be confirmed; nobody counts on a provisional `until`.
 * There is no `until > now`: while the owner is still me, nobody else was granted anything. A renewal without a label
 * leaves the one that is there.
 */
export function renewUpdate({ me, until, identity, ttl }: Renew): Update {
  const change = identityChange(identity);
  return update(
    'renew',
    '#owner = :me AND (#until < :until OR attribute_not_exists(#principal))',
    `SET #until = :until${change.set}, #ttl = :ttl, #rev = #rev + :one`,
    { ':me': me, ':until': until, ':ttl': ttl, ':one': 1, ...change.values },
  );
}

/** release(me): I am the owner and nobody stands in line. `last` makes a repeat find it done. */
export function releaseUpdate({ me, ttl }: Release): Update {
  return update(
    'release',
    '#owner = :me AND attribute_not_exists(#queue[0])',
    `SET #last = :me, #ttl = :ttl, #rev = #rev + :one REMOVE ${noHold}`,
    { ':me': me, ':ttl': ttl, ':one': 1 },
  );
}

/**
 * releasePast(me, R): I am the owner and every ticket in line has ended, so the line goes with my hold. That was seen in
 * R: without `rev` and `fence` a waiter who joined, or whose ticket was renewed since, would lose its place.
 */
export function releasePastUpdate({ me, rev, fence, ttl }: ReleasePast): Update {
  return update(
    'releasePast',
    '#owner = :me AND #rev = :rev AND #fence = :fence',
    `SET #last = :me, #queue = :nobody, #tickets = :noTickets, #ttl = :ttl, #rev = #rev + :one REMOVE ${noHold}`,
    { ':me': me, ':rev': rev, ':fence': fence, ':nobody': [], ':noTickets': {}, ':ttl': ttl, ':one': 1 },
  );
}

/**
 * handOver(me, k): I am the owner, and the first waiter whose ticket is valid gets the lock, for one claim window. One
 * write both releases and grants. Those before it must have let their tickets end: else a live waiter would be skipped
 * whose renewed ticket I had not seen.
 */
export function handOverUpdate({ me, next, cut, ttl }: HandOver): Update {
  const { set, remove, names, values } = grantToNext(next);
  return update(
    'handOver',
    `#owner = :me AND #queue[${next.before.length}] = :next${ticketsEnded(next.before, next.before, ':cut')}`,
    `SET ${set}, #last = :me, #ttl = :ttl REMOVE ${remove}`,
    { ...values, ...(next.before.length > 0 && { ':cut': cut }), ':me': me, ':ttl': ttl },
    names,
  );
}

/**
 * transfer(me, heir): hand-over inside one process, while nobody stands in line; or the same hold under another token,
 * whoever waits. The heir's lease is whole at once.
 */
export function transferUpdate({ me, heir, whileAwaited, now, until, identity, ttl }: Transfer): Update {
  const { set, absent, values } = grantIdentity(identity);
  return update(
    'transfer',
    whileAwaited ? '#owner = :me' : '#owner = :me AND attribute_not_exists(#queue[0])',
    `SET #owner = :heir, #until = :until, #since = :now, #fence = #fence + :one, #last = :me, #ttl = :ttl${set}, ` +
      `#rev = #rev + :one${absent.length > 0 ? ` REMOVE ${absent.join(', ')}` : ''}`,
    { ':me': me, ':heir': heir, ':now': now, ':until': until, ':ttl': ttl, ':one': 1, ...values },
  );
}

/**
 * break(victim, R): exactly the hold that was looked at ends, and the first valid waiter gets the lock, or nobody.
 * `fence` sees to "exactly" for the hold, `rev` for the line. Where nobody stood in line it is enough that nobody does
 * now: a holder that renews without end raises `rev` without end, and could not be broken by it. `last` stays, `broken`
 * tells the victim why, and the fence grows once in either case, so that a resource can refuse the victim.
 */
export function breakUpdate({ victim, rev, fence, ttl, next }: Break): Update {
  const { set, remove, names, values } = next ? grantToNext(next) : withoutNext;
  return update(
    'break',
    `#owner = :victim AND #fence = :fence AND ${rev === undefined ? 'attribute_not_exists(#queue[0])' : '#rev = :rev'}`,
    `SET ${set}, #broken = :victim, #ttl = :ttl REMOVE ${remove}`,
    { ...values, ':victim': victim, ...(rev !== undefined && { ':rev': rev }), ':fence': fence, ':ttl': ttl },
    names,
  );
}

const withoutNext = {
  set: '#queue = :nobody, #tickets = :noTickets, #fence = #fence + :one, #rev = #rev + :one',
  remove: noHold,
  names: {},
  values: { ':nobody': [], ':noTickets': {}, ':one': 1 },
};

function grantToNext({ owner, now, until, before }: Next) {
  const line = leaveLine([...before, owner]);
  return {
    set: '#owner = :next, #until = :until, #since = :now, #fence = #fence + :one, #rev = #rev + :one',
    remove: `#holder, #principal, ${line.paths}`,
    names: line.names,
    values: { ':next': owner, ':now': now, ':until': until, ':one': 1 },
  };
}
