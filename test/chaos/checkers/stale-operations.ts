import { isWithinMargin } from '../clock-margin.ts';
import { deletionsIn } from '../disturbances.ts';
import type { Checker, Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import type { Item } from '../history.ts';
import { boundsOf, earliestDeadlineMs, type Hold } from '../hold.ts';
import type { History } from '../indexed-history.ts';
import { eventsOf, type OperationRecord } from '../operation-record.ts';
import { grantedTokens } from './granted-tokens.ts';
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
      ...[...holds.values()].flatMap(robbed(history)),
      ...[...history.operations.values()].flatMap((operation) => succeededLate(operation, history)),
      ...[...byLock(items)].flatMap(([lockId, ofLock]) => [
        ...storedStates(rule, ofLock, deletions),
        ...foreignReleases(rule, ofLock, grants.get(lockId) ?? []),
      ]),
    ];
    return { checked: holds.size + items.length, findings };
  },
};

// The service said that a hold was gone whose lease lasted, and whom nobody broke: something took it away.
function robbed(history: History): (hold: Hold) => Finding[] {
  const clocksAgree = isWithinMargin(history);
  const acquisitions = byLock([...history.operations.values()].filter(({ invoke }) => 'leaseMs' in invoke.arguments));
  return (hold) => {
    const { lost } = hold;
    if (lost?.reason !== 'superseded' && lost?.reason !== 'absent') return [];
    if (hold.releases.some(({ invokedMs }) => invokedMs <= lost.atMs) || hold.breaks.length > 0) return [];
    const leftMs = earliestDeadlineMs(hold) - lost.atMs;
    if (leftMs <= 0) return [];
    if (!clocksAgree && lost.reason === 'superseded' && hasRival(hold, acquisitions.get(hold.lockId) ?? [])) return [];
    const message = `${hold.id} (fencing token ${hold.fencingToken}) was lost as "${lost.reason}" ${leftMs.toFixed(1)} ms before its deadline, and nobody broke it`;
    return [finding(hold, message)];
  };
}

// Where clocks disagree, another may take the lock early.
function hasRival(hold: Hold, acquisitions: readonly OperationRecord[]): boolean {
  const lostMs = hold.lost?.atMs ?? Number.POSITIVE_INFINITY;
  return acquisitions.some(
    ({ op, invokedMs, endedMs }) => op !== hold.id && invokedMs < lostMs && endedMs > hold.acquisition.invokedMs,
  );
}

// Whoever knows that it lost gets no success any more.
function succeededLate(operation: OperationRecord, { holds }: History): Finding[] {
  const { invoke, end, invokedMs, op } = operation;
  if (end?.type !== 'ok' || (invoke.operation !== 'release' && invoke.operation !== 'renew')) return [];
  const hold = holds.get(invoke.arguments.hold);
  if (!hold?.lost || hold.lost.atMs >= invokedMs) return [];
  return [finding(hold, `the ${invoke.operation} ${op} succeeded after ${hold.id} was lost`, ...eventsOf(operation))];
}

function finding(hold: Hold, message: string, ...more: Finding['events']): Finding {
  return { rule, lockId: hold.lockId, message, events: [...boundsOf(hold), ...more] };
}
