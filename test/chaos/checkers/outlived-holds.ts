import type { Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import { boundsOf, confirmation, confirmedMs, type Hold } from '../hold.ts';
import type { History } from '../indexed-history.ts';
import { eventsOf } from '../operation-record.ts';
import { withHighestBefore } from '../real-time.ts';
import { type SeenToken, seenTokens } from './seen-tokens.ts';

/**
 * Holds that the service renewed although they were over, whatever the clocks: an administrator was told that it broke them, or
 * a greater fencing token was there.
 */
export function outlivedHolds(rule: string, history: History): Finding[] {
  const seen = seenTokens(history);
  return [
    ...[...history.holds.values()].flatMap((hold) => unbroken(rule, hold)),
    ...[...byLock(seen).values()].flatMap((ofLock) => outlived(rule, ofLock)),
  ];
}

function unbroken(rule: string, hold: Hold): Finding[] {
  const done = hold.breaks.find(({ end, endedMs }) => end?.type === 'ok' && endedMs < confirmedMs(hold));
  if (!done) return [];
  const message = `the break ${done.op} of ${hold.id} (fencing token ${hold.fencingToken}) was acknowledged, and it was renewed after that`;
  const { seen } = confirmation(hold) ?? {};
  return [
    { rule, lockId: hold.lockId, message, events: [...boundsOf(hold), ...eventsOf(done), ...(seen ? [seen] : [])] },
  ];
}

function outlived(rule: string, seen: readonly SeenToken[]): Finding[] {
  return (
    withHighestBefore(seen)
      .filter(({ before, thing }) => before.number > thing.number && isRenewal(thing))
      // One that was asked for when the greater one was there is found where the grants are.
      .filter(({ before, thing }) => !thing.hold || thing.hold.acquisition.invokedMs <= before.byMs)
      .map(({ before, thing }) => {
        const what = thing.hold?.id ?? 'an owner token';
        const message = `${what} (fencing token ${thing.number}) was renewed after fencing token ${before.number} was there`;
        return { rule, lockId: thing.lockId, message, events: [...before.events, ...thing.events] };
      })
  );
}

function isRenewal({ by, events }: SeenToken): boolean {
  return by === 'hold' || events.some((event) => event.type === 'exchange' && event.operation === 'renew');
}
