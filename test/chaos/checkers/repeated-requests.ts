import { isWithinMargin } from '../clock-margin.ts';
import type { Checker, Finding } from '../finding.ts';
import { byLock, groupedBy } from '../grouping.ts';
import type { Exchange } from '../history.ts';
import { withHighestBefore } from '../real-time.ts';
import { grantedTokens } from './granted-tokens.ts';

const rule = 'repeated requests';

/** An owner token that was told that it has the lock: itself, or as the heir of another's release. */
interface Grant {
  readonly exchange: Exchange;
  readonly owner: string;
  readonly fencingToken: number;
}

/**
 * What the service answers to one owner token agrees, however often its requests are repeated, lost or late: it has one
 * grant. Only a claim that comes when that is over may get it another, and then it is not the older one any more.
 */
export const repeatedRequests: Checker = {
  rule,
  promise: 'all replies to one owner token tell of the same grant as long as it lasts',
  needsClocks: false,
  check(history) {
    const { events, run } = history;
    // Where clocks disagree, a lease may be over at once.
    const shortestMs = isWithinMargin(history) ? Math.min(run.leaseMs, run.claimWindowMs) : 0;
    const exchanges = events.filter((event) => event.type === 'exchange');
    const findings = [...byLock(exchanges).values()].flatMap((ofLock) => {
      const grants = ofLock.flatMap(grantsIn);
      const byOwner = groupedBy(grants, ({ owner }) => owner);
      const ends = groupedBy(
        ofLock.filter(({ reply: { kind } }) => kind === 'released' || kind === 'lost'),
        ({ owner }) => owner,
      );
      const perOwner = [...byOwner].flatMap(([owner, ofOwner]) => [
        ...apart(ofOwner, shortestMs),
        ...falling(ofOwner),
        ...revived(ofOwner, ends.get(owner) ?? []),
      ]);
      return [...shared(grants), ...perOwner];
    });
    const copies = exchanges.filter(({ copyOf }) => copyOf !== undefined).length;
    const figures = [{ name: 'requests that a proxy sent once more', value: String(copies) }];
    return { checked: exchanges.length, findings, figures };
  },
};

function grantsIn(exchange: Exchange): Grant[] {
  return grantedTokens(exchange).map(({ owner, fencingToken }) => ({ exchange, owner, fencingToken }));
}

function shared(grants: readonly Grant[]): Finding[] {
  const first = new Map<number, Grant>();
  return grants.flatMap((grant) => {
    const other = first.get(grant.fencingToken);
    if (!other) first.set(grant.fencingToken, grant);
    if (!other || other.owner === grant.owner) return [];
    return [
      finding(`two owner tokens were granted fencing token ${grant.fencingToken}`, other.exchange, grant.exchange),
    ];
  });
}

// A repeat that comes when the lease is over, and before anybody else, is a claim like any other.
function apart(grants: readonly Grant[], shortestMs: number): Finding[] {
  const lastSent = new Map<number, number>();
  for (const { fencingToken, exchange } of grants) {
    lastSent.set(fencingToken, Math.max(exchange.sentMs, lastSent.get(fencingToken) ?? exchange.sentMs));
  }
  const inOrder = [...grants].sort((one, other) => one.fencingToken - other.fencingToken);
  return inOrder.flatMap((grant, index) => {
    const before = inOrder[index - 1];
    if (before?.fencingToken !== grant.fencingToken - 1) return [];
    const heldUntilMs = (lastSent.get(before.fencingToken) ?? before.exchange.sentMs) + shortestMs;
    if (grant.exchange.atMs >= heldUntilMs) return [];
    const tokens = `${before.fencingToken} and ${grant.fencingToken}`;
    return [finding(`one owner token was granted ${tokens} within one lease`, before.exchange, grant.exchange)];
  });
}

function falling(grants: readonly Grant[]): Finding[] {
  const timed = grants.map((grant) => ({
    grant,
    fromMs: grant.exchange.sentMs,
    byMs: grant.exchange.atMs,
    number: grant.fencingToken,
  }));
  return withHighestBefore(timed)
    .filter(({ before, thing }) => before.number > thing.number)
    .map(({ before, thing }) =>
      finding(
        `an owner token was granted ${thing.number} after ${before.number}`,
        before.grant.exchange,
        thing.grant.exchange,
      ),
    );
}

// A grant that was given back or lost is not there any more.
function revived(grants: readonly Grant[], ends: readonly Exchange[]): Finding[] {
  const firstSeen = new Map<number, number>();
  for (const { fencingToken, exchange } of grants) {
    firstSeen.set(fencingToken, Math.min(exchange.atMs, firstSeen.get(fencingToken) ?? exchange.atMs));
  }
  const bySending = [...grants].sort((one, other) => one.exchange.sentMs - other.exchange.sentMs);
  const byReply = [...ends].sort((one, other) => one.atMs - other.atMs);
  let next = 0;
  let latest: Exchange | undefined;
  return bySending.flatMap(({ exchange, fencingToken }) => {
    for (; ; next++) {
      const end = byReply[next];
      if (!end || end.atMs >= exchange.sentMs) break;
      if (!latest || end.sentMs > latest.sentMs) latest = end;
    }
    if (!latest || (firstSeen.get(fencingToken) ?? exchange.atMs) >= latest.sentMs) return [];
    return [
      finding(`the grant ${fencingToken} was there again after the reply "${latest.reply.kind}"`, latest, exchange),
    ];
  });
}

function finding(message: string, one: Exchange, other: Exchange): Finding {
  return { rule, lockId: other.lockId, message, events: [one, other] };
}
