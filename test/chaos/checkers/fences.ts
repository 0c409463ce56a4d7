import type { Checker, Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import type { Hold } from '../hold.ts';
import { withHighestBefore } from '../real-time.ts';
import { type SeenToken, seenTokens } from './seen-tokens.ts';

const rule = 'fences';

/** Every grant has a greater fencing token than each that was seen before it was asked for, whoever was granted that. */
export const fences: Checker = {
  rule,
  promise: 'every grant has a greater fencing token than every earlier one of its lock',
  needsClocks: false,
  check(history) {
    // That an older hold lasts is another rule's matter.
    const seen = seenTokens(history).filter(({ by }) => by !== 'hold');
    const holds = [...byLock(history.holds.values()).values()];
    const findings = [...holds.flatMap(shared), ...[...byLock(seen).values()].flatMap(falling)];
    return { checked: seen.length, findings };
  },
};

function shared(holds: readonly Hold[]): Finding[] {
  const first = new Map<number, Hold>();
  return holds.flatMap((hold) => {
    const other = first.get(hold.fencingToken);
    if (!other) first.set(hold.fencingToken, hold);
    if (!other) return [];
    const message = `${other.id} and ${hold.id} have the same fencing token: fencing tokens ${other.fencingToken} and ${hold.fencingToken}`;
    return [{ rule, lockId: hold.lockId, message, events: [other.granted, hold.acquisition.invoke, hold.granted] }];
  });
}

function falling(seen: readonly SeenToken[]): Finding[] {
  return withHighestBefore(seen)
    .filter(({ before, thing }) => before.number > thing.number && isNoOtherRules(before, thing))
    .map(({ before, thing }) => {
      const message = `${textOf(thing, 'asked for')} after ${textOf(before, 'granted')}: fencing tokens ${before.number} and ${thing.number}`;
      return { rule, lockId: thing.lockId, message, events: [...before.events, ...thing.events] };
    });
}

// Stored items and renewals that go back are found among the stale operations.
function isNoOtherRules(before: SeenToken, thing: SeenToken): boolean {
  if (thing.by === 'item') return before.by !== 'item';
  return !thing.events.some((event) => event.type === 'exchange' && event.operation === 'renew');
}

function textOf({ by, hold }: SeenToken, how: 'asked for' | 'granted'): string {
  if (by === 'grant' && hold) return how === 'granted' ? `the grant of ${hold.id}` : `${hold.id} was asked for`;
  const what = by === 'item' ? 'a look at the stored item' : 'a reply of the service';
  return how === 'granted' ? what : `${what} came`;
}
