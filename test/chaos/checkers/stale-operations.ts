import { deletionsIn } from '../disturbances.ts';
import type { Checker } from '../finding.ts';
import { byLock } from '../grouping.ts';
import type { Item } from '../history.ts';
import { grantedTokens } from './granted-tokens.ts';
import { lateSuccesses } from './late-successes.ts';
import { outlivedHolds } from './outlived-holds.ts';
import { robbedHolds } from './robbed-holds.ts';
import { foreignReleases, storedStates } from './stored-states.ts';

const rule = 'stale operations';

/** What comes late, from a hold that is over, changes nothing: neither its own hold nor that of a successor. */
export const staleOperations: Checker = {
  rule,
  promise: 'a release or renewal of a hold that is over fails, and takes nothing from the next holder',
  needsClocks: false,
  check(history) {
    const { holds, events } = history;
    const deletions = deletionsIn(history);
    const grants = byLock(events.flatMap(grantedTokens));
    const items = events.filter((event): event is Item => event.type === 'item');
    const findings = [
      ...robbedHolds(rule, history),
      ...outlivedHolds(rule, history),
      ...lateSuccesses(rule, history),
      ...[...byLock(items)].flatMap(([lockId, ofLock]) => [
        ...storedStates(rule, ofLock, deletions),
        ...foreignReleases(rule, ofLock, grants.get(lockId) ?? []),
      ]),
    ];
    return { checked: holds.size + items.length, findings };
  },
};
