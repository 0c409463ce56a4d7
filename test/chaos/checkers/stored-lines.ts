import type { Finding } from '../finding.ts';
import { byLock, groupedBy } from '../grouping.ts';
import type { Item } from '../history.ts';
import { boundsOf, type Hold } from '../hold.ts';
import type { History } from '../indexed-history.ts';
import type { OperationRecord } from '../operation-record.ts';
import { grantedTokens } from './granted-tokens.ts';

/** Whether an operation's process answered from a moment, or from its begin when that is earlier, to its end. */
export type IsUndisturbed = (operation: OperationRecord, fromMs?: number) => boolean;

/**
 * The lines that looks at the stored items saw, held against the fencing tokens that those in them were granted later.
 * Which grant an owner token had is known from replies and from other looks.
 */
export function storedLines(
  rule: string,
  { events, holds }: History,
  isUndisturbed: IsUndisturbed,
): { readonly checked: number; readonly findings: readonly Finding[] } {
  const items = events.filter((event): event is Item => event.type === 'item' && (event.item?.queue.length ?? 0) > 1);
  const owned = byLock(events.flatMap(grantedTokens));
  const held = groupedBy(holds.values(), ({ lockId }) => lockId);
  let checked = 0;
  const findings = [...byLock(items)].flatMap(([lockId, looks]) => {
    const byToken = new Map(held.get(lockId)?.map((hold) => [hold.fencingToken, hold]));
    const byOwner = new Map<string, Hold>();
    for (const { owner, fencingToken } of owned.get(lockId) ?? []) {
      const hold = byToken.get(fencingToken);
      if (hold) byOwner.set(owner, hold);
    }
    return looks.flatMap((look) => {
      const line = (look.item?.queue ?? []).flatMap((owner) => byOwner.get(owner) ?? []);
      const steady = line.map((hold) => isUndisturbed(hold.acquisition, look.sentMs));
      checked += Math.max(0, line.length - 1);
      return outOfLine(line, steady).map(([first, other]) => {
        const tokens = `${first.fencingToken} and ${other.fencingToken}`;
        const message = `${first.id} was seen in line before ${other.id} and was served after it: fencing tokens ${tokens}`;
        return { rule, lockId, message, events: [look, ...boundsOf(first), ...boundsOf(other)] };
      });
    });
  });
  return { checked, findings };
}

// Each that was served before somebody who stood before it and answered throughout, with the one of those served last.
function outOfLine(line: readonly Hold[], steady: readonly boolean[]): [first: Hold, other: Hold][] {
  let last: Hold | undefined;
  return line.flatMap((hold, place) => {
    const before = last;
    if (steady[place] && (!last || hold.fencingToken > last.fencingToken)) last = hold;
    return before && before.fencingToken > hold.fencingToken ? [[before, hold] satisfies [Hold, Hold]] : [];
  });
}
