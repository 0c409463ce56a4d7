import { groupedBy } from '../grouping.ts';
import { isAcquiring } from '../history.ts';
import type { Hold } from '../hold.ts';
import type { History } from '../indexed-history.ts';
import type { OperationRecord } from '../operation-record.ts';

/**
 * The acquisitions that began when nobody else of their process held their lock or wanted it, in the order in which they
 * began: each asks the service for itself at once, and is the first of its process to be served.
 */
export function startedLines({ operations, holds }: History): OperationRecord[] {
  const acquisitions = [...operations.values()].filter(({ invoke }) => isAcquiring(invoke.operation));
  const lines = groupedBy(acquisitions, ({ process, lockId }) => `${process} ${lockId}`);
  const started = new Set<OperationRecord>();
  for (const line of lines.values()) {
    let busyUntilMs = Number.NEGATIVE_INFINITY;
    for (const acquisition of line) {
      if (busyUntilMs < acquisition.invokedMs) started.add(acquisition);
      const hold = holds.get(acquisition.op);
      busyUntilMs = Math.max(busyUntilMs, hold ? endedMs(hold) : acquisition.endedMs);
    }
  }
  return acquisitions.filter((acquisition) => started.has(acquisition));
}

// When its process was through with it.
function endedMs({ releases, lost }: Hold): number {
  const released = releases.findLast(({ end }) => end)?.endedMs;
  return Math.max(released ?? lost?.atMs ?? Number.POSITIVE_INFINITY, lost?.atMs ?? Number.NEGATIVE_INFINITY);
}
