import type { Claim, ClaimAsHead, ClaimPast } from '../../service/lock-store.ts';
import { grantIdentity } from './identity.ts';
import { leaveLine, ticketsEnded, type Update, update } from './update.ts';

const free = (by: string) => `(attribute_not_exists(#owner) OR #until <= ${by})`;

/**
 * claim(me): a free lock without a line, by a token that has not had its lease yet, becomes mine.
 *
 * FREE is "no owner, or until ≤ cut": every take-over waits out the clock margin. On a missing attribute `<>` is true
 * and `≤` is false. `if_not_exists(fence, now)`: the fence starts at the clock's milliseconds, so that an item made
 * anew after deletion starts above every fencing token given out before. Queue and tickets are created here because
 * later expressions cannot create them.
 */
export function claimUpdate(claim: Claim): Update {
  const { set, remove, values } = grant(claim);
  return update(
    'claim',
    `${free(':cut')} AND attribute_not_exists(#queue[0]) AND #last <> :me AND #broken <> :me`,
    `SET ${set}, #fence = if_not_exists(#fence, :now) + :one, #rev = if_not_exists(#rev, :zero) + :one, ` +
      `#tickets = if_not_exists(#tickets, :noTickets), #queue = if_not_exists(#queue, :nobody)${removing(remove)}`,
    { ...values, ':cut': claim.cut, ':zero': 0, ':noTickets': {}, ':nobody': [] },
  );
}

/**
 * claimAsHead(me): those before me let their tickets end, or their claim window pass, so I am the head of the line.
 *
 * `over` is one claim window earlier for each waiter before me who may still come: the second waits one window longer
 * than the first. The tickets of the skipped are held against `over`, not `cut`: else a dead waiter's ticket that ends
 * late would let the third pass the live second at once.
 */
export function claimAsHeadUpdate(claim: ClaimAsHead): Update {
  const { me, before, skipped, over } = claim;
  const { set, remove, values } = grant(claim);
  const line = leaveLine([...before, me]);
  return update(
    'claimAsHead',
    `${free(':over')} AND #queue[${before.length}] = :me${ticketsEnded(skipped, before, ':over')}`,
    `SET ${set}, #fence = #fence + :one, #rev = #rev + :one${removing([...remove, line.paths])}`,
    { ...values, ':over': over },
    line.names,
  );
}

/**
 * claimPast(me, R): the lease is over and every ticket in line has ended, so the line goes. That was seen in R: without
 * `rev` and `fence` a waiter who joined, or whose ticket was renewed since, would lose its place.
 */
export function claimPastUpdate(claim: ClaimPast): Update {
  const { set, remove, values } = grant(claim);
  return update(
    'claimPast',
    `${free(':cut')} AND #rev = :rev AND #fence = :fence`,
    `SET ${set}, #fence = #fence + :one, #rev = #rev + :one, #queue = :nobody, #tickets = :noTickets${removing(remove)}`,
    { ...values, ':cut': claim.cut, ':rev': claim.rev, ':fence': claim.fence, ':noTickets': {}, ':nobody': [] },
  );
}

// What every claim writes, but for fence and rev: those differ where the item may be missing.
function grant({ me, now, until, identity, ttl }: Claim) {
  const { set, values, absent } = grantIdentity(identity);
  return {
    set: `#owner = :me, #until = :until, #since = :now, #ttl = :ttl${set}`,
    remove: absent,
    values: { ':me': me, ':now': now, ':until': until, ':ttl': ttl, ':one': 1, ...values },
  };
}

function removing(paths: readonly string[]): string {
  return paths.length > 0 ? ` REMOVE ${paths.join(', ')}` : '';
}
