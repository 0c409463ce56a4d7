import { isWithinMargin } from '../clock-margin.ts';
import { type Disturbances, faultsHitting } from '../disturbances.ts';
import type { Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import type { HistoryEvent } from '../history.ts';
import { boundsOf, earliestDeadlineMs, type Hold } from '../hold.ts';
import type { History } from '../indexed-history.ts';
import type { OperationRecord } from '../operation-record.ts';

/** That the service said that a hold is gone: the lost signal, or the end of an operation. */
interface Loss {
  readonly told: HistoryEvent;
  readonly reason: string;
}

/** Holds of which the service said that they are gone although their lease lasted and nobody broke them. */
export function robbedHolds(rule: string, history: History): Finding[] {
  const clocksAgree = isWithinMargin(history);
  const faults = faultsHitting(history);
  const acquisitions = byLock([...history.operations.values()].filter(({ invoke }) => 'leaseMs' in invoke.arguments));
  const failures = failuresOf(history);
  return [...history.holds.values()].flatMap((hold) => {
    const loss = lossesOf(hold, failures).find(({ reason }) => reason === 'superseded' || reason === 'absent');
    if (!loss || hold.breaks.length > 0) return [];
    const { atMs } = loss.told;
    if (isPerhapsReleased(hold, atMs, faults)) return [];
    const leftMs = earliestDeadlineMs(hold) - atMs;
    if (leftMs <= 0) return [];
    const rivals = acquisitions.get(hold.lockId) ?? [];
    if (!clocksAgree && loss.reason === 'superseded' && hasRival(hold, atMs, rivals)) return [];
    const message = `${hold.id} (fencing token ${hold.fencingToken}) was lost as "${loss.reason}" ${leftMs.toFixed(1)} ms before its deadline, and nobody broke it`;
    return [{ rule, lockId: hold.lockId, message, events: [...boundsOf(hold), loss.told] }];
  });
}

function failuresOf({ operations }: History): Map<string, Loss[]> {
  const failures = new Map<string, Loss[]>();
  for (const { invoke, end } of operations.values()) {
    if (end?.type !== 'fail' || end.reason === undefined) continue;
    if (invoke.operation !== 'release' && invoke.operation !== 'renew') continue;
    const { hold } = invoke.arguments;
    failures.set(hold, [...(failures.get(hold) ?? []), { told: end, reason: end.reason }]);
  }
  return failures;
}

function lossesOf({ id, lost }: Hold, failures: ReadonlyMap<string, Loss[]>): Loss[] {
  return [...(lost ? [{ told: lost, reason: lost.reason }] : []), ...(failures.get(id) ?? [])];
}

// One that is given back may be gone. A release that was told of the loss changed nothing, unless the reply to a try of it
// may have been lost.
function isPerhapsReleased({ releases, process }: Hold, lostMs: number, faults: Disturbances): boolean {
  const [first] = releases.filter(({ invokedMs }) => invokedMs <= lostMs);
  if (first === undefined) return false;
  const isRefused = first.end?.type === 'fail' && first.end.code === 'lease-lost';
  return !isRefused || releases.length > 1 || faults.hit(process, first.invokedMs, lostMs);
}

// Where clocks disagree, another may take the lock early.
function hasRival(hold: Hold, lostMs: number, acquisitions: readonly OperationRecord[]): boolean {
  return acquisitions.some(
    ({ op, invokedMs, endedMs }) => op !== hold.id && invokedMs < lostMs && endedMs > hold.acquisition.invokedMs,
  );
}
