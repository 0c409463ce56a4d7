import { deletionsIn } from '../disturbances.ts';
import type { Checker, Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import { boundsOf, endsNotBeforeMs, type Hold } from '../hold.ts';
import { inspections, inspectionsOf } from './inspections.ts';
import { startedLines } from './started-lines.ts';

const rule = 'mutex';

/**
 * Each lock's history is one that a single mutex with leases could have had: the grants, in the order of their fencing
 * tokens, find a moment each, between request and answer, after the hold before could have ended; and every look at the
 * lock saw what was so at a moment within the look.
 *
 * The fencing tokens give the order, so each lock is one pass and not a search. An operation of unknown outcome may have
 * happened or not: no hold of it is known, and nothing is made of the fencing tokens in between.
 */
export const mutex: Checker = {
  rule,
  promise: "each lock's grants and looks are those of one mutex with leases",
  needsClocks: true,
  check(history) {
    const { holds, operations, run } = history;
    const lateMs = run.recoverWithinMs + run.leaseMs + run.clockSkewMs;
    const deletions = deletionsIn(history);
    const looks = byLock(inspectionsOf(operations.values()));
    const grants = byLock(holds.values());
    const started = new Set(startedLines(history));
    const findings: Finding[] = [];
    for (const lockId of new Set([...grants.keys(), ...looks.keys()])) {
      const ofLock = grants.get(lockId) ?? [];
      findings.push(
        ...oneAfterAnother(ofLock),
        ...inspections(rule, ofLock, looks.get(lockId) ?? [], started, deletions, lateMs),
      );
    }
    return { checked: holds.size + [...looks.values()].flat().length, findings };
  },
};

function oneAfterAnother(holds: readonly Hold[]): Finding[] {
  const findings: Finding[] = [];
  let before: { readonly hold: Hold; readonly endsMs: number } | undefined;
  for (const hold of [...holds].sort((one, other) => one.fencingToken - other.fencingToken)) {
    // As early as it can be: that leaves the most room to those after it.
    const grantMs = Math.max(hold.acquisition.invokedMs, before?.endsMs ?? Number.NEGATIVE_INFINITY);
    const isTooLate = before !== undefined && grantMs > hold.grantedMs;
    if (before && isTooLate) findings.push(finding(before.hold, hold, before.endsMs));
    const endsMs = Math.max(isTooLate ? hold.grantedMs : grantMs, endsNotBeforeMs(hold));
    before = { hold, endsMs };
  }
  return findings;
}

function finding(before: Hold, hold: Hold, endsMs: number): Finding {
  const earlyMs = (endsMs - hold.grantedMs).toFixed(1);
  const message = `${hold.id} (fencing token ${hold.fencingToken}) was granted ${earlyMs} ms before the hold ${before.id} (fencing token ${before.fencingToken}) could have ended`;
  return { rule, lockId: hold.lockId, message, events: [...boundsOf(before), hold.acquisition.invoke, hold.granted] };
}
