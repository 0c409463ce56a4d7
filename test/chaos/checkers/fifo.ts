import { Disturbances, faultsHitting } from '../disturbances.ts';
import type { Checker, Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import type { History } from '../indexed-history.ts';
import { eventsOf, mayHaveHappened, type OperationRecord } from '../operation-record.ts';
import { startedLines } from './started-lines.ts';
import { type IsUndisturbed, storedLines } from './stored-lines.ts';

const rule = 'first come, first served';

/** A flow that stood in line, and what came of it. */
interface Waiter {
  readonly lockId: string;
  readonly operation: OperationRecord;
  /** Whoever asks later than this comes after it. */
  readonly joinedByMs: number;
  /** Infinity: it was not granted. */
  readonly fencingToken: number;
  /** Until when it stood in line at the least. */
  readonly stoodUntilMs: number;
}

interface Grant {
  readonly lockId: string;
  readonly operation: OperationRecord;
  readonly fencingToken: number;
}

/**
 * Whoever stood in line gets the lock before those who asked for it later, and a line that was seen in the stored item is
 * served in its order.
 *
 * The first compares acquisitions that began their process's local line: those behind them have no place of their own, and
 * a successor may come in at an older one. A waiter counts when no fault hit its process between its call and its end, and
 * no administrator broke a hold of the lock meanwhile, which may have been its provisional one.
 */
export const fifo: Checker = {
  rule,
  promise: 'waiters that answer get the lock in the order in which they stood in line, and before those who come later',
  needsClocks: true,
  check(history) {
    const isUndisturbed = undisturbed(history);
    const waiters = byLock(waitersOf(history, isUndisturbed));
    const grants = byLock(grantsOf(history));
    const findings = [...waiters].flatMap(([lockId, ofLock]) => {
      const granted = grants.get(lockId) ?? [];
      return [...overtaken(ofLock, granted), ...leftStanding(ofLock, granted)];
    });
    const lines = storedLines(rule, history, isUndisturbed);
    const checked = [...waiters.values()].reduce((sum, { length }) => sum + length, lines.checked);
    return { checked, findings: [...findings, ...lines.findings] };
  },
};

function undisturbed(history: History): IsUndisturbed {
  const faults = faultsHitting(history);
  const breaks = new Disturbances(
    [...history.operations.values()]
      .filter((each) => each.invoke.operation === 'break' && mayHaveHappened(each))
      .map(({ lockId, invokedMs, endedMs }) => ({ of: lockId, fromMs: invokedMs, toMs: endedMs })),
  );
  return ({ process, lockId, invokedMs, endedMs }, fromMs = invokedMs) => {
    const sinceMs = Math.min(fromMs, invokedMs);
    return !faults.hit(process, sinceMs, endedMs) && !breaks.hit(lockId, sinceMs, endedMs);
  };
}

function waitersOf(history: History, isUndisturbed: IsUndisturbed): Waiter[] {
  const { joinWithinMs, toleranceMs } = history.run;
  return startedLines(history).flatMap((operation) => {
    const { lockId, waitingMs, invokedMs, end, invoke } = operation;
    if (waitingMs === undefined || end?.type !== 'ok' || !('granted' in end.result)) return [];
    if (!isUndisturbed(operation)) return [];
    const joinedByMs = waitingMs + joinWithinMs;
    if (end.result.granted) {
      return [{ lockId, operation, joinedByMs, fencingToken: end.result.fencingToken, stoodUntilMs: joinedByMs }];
    }
    const waitMs = invoke.operation === 'timedTryLock' ? invoke.arguments.waitMs : 0;
    const stoodUntilMs = invokedMs + waitMs - toleranceMs;
    return [{ lockId, operation, joinedByMs, fencingToken: Number.POSITIVE_INFINITY, stoodUntilMs }];
  });
}

function grantsOf(history: History): Grant[] {
  return startedLines(history).flatMap((operation) => {
    const hold = history.holds.get(operation.op);
    return hold ? [{ lockId: hold.lockId, operation, fencingToken: hold.fencingToken }] : [];
  });
}

// From the last grant to the first, with whoever was granted the lock later and stood in line the earliest.
function overtaken(waiters: readonly Waiter[], grants: readonly Grant[]): Finding[] {
  const served = waiters
    .filter(({ fencingToken }) => Number.isFinite(fencingToken))
    .sort((one, other) => other.fencingToken - one.fencingToken);
  let next = 0;
  let first: Waiter | undefined;
  return [...grants]
    .sort((one, other) => other.fencingToken - one.fencingToken)
    .flatMap((grant) => {
      for (; ; next++) {
        const later = served[next];
        if (!later || later.fencingToken <= grant.fencingToken) break;
        if (!first || later.joinedByMs < first.joinedByMs) first = later;
      }
      return first && first.joinedByMs < grant.operation.invokedMs ? [finding(first, grant)] : [];
    });
}

// With whoever waited in vain and stood in line the longest, of those who stood there when the grant was asked for.
function leftStanding(waiters: readonly Waiter[], grants: readonly Grant[]): Finding[] {
  const inVain = waiters
    .filter(({ fencingToken }) => !Number.isFinite(fencingToken))
    .sort((one, other) => one.joinedByMs - other.joinedByMs);
  let next = 0;
  let longest: Waiter | undefined;
  return grants.flatMap((grant) => {
    for (; ; next++) {
      const waiter = inVain[next];
      if (!waiter || waiter.joinedByMs >= grant.operation.invokedMs) break;
      if (!longest || waiter.stoodUntilMs > longest.stoodUntilMs) longest = waiter;
    }
    return longest && longest.stoodUntilMs > grant.operation.endedMs ? [finding(longest, grant)] : [];
  });
}

function finding(
  { operation: waiter, joinedByMs, fencingToken }: Waiter,
  { operation, fencingToken: its }: Grant,
): Finding {
  const laterMs = (operation.invokedMs - joinedByMs).toFixed(1);
  const got = Number.isFinite(fencingToken) ? `only fencing token ${fencingToken}` : 'nothing';
  const message = `${operation.op} asked ${laterMs} ms after ${waiter.op} stood in line, and got fencing token ${its}; ${waiter.op} got ${got}`;
  return { rule, lockId: operation.lockId, message, events: [...eventsOf(waiter), ...eventsOf(operation)] };
}
