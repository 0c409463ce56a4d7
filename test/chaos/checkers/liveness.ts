import { clocksSetIn } from '../disturbances.ts';
import type { Checker, Finding } from '../finding.ts';
import type { History } from '../indexed-history.ts';
import { eventsOf, type OperationRecord } from '../operation-record.ts';

const rule = 'liveness';

/** Once nothing is broken any more, whoever lives gets on, in bounded time; and whoever may wait is not turned away before. */
export const liveness: Checker = {
  rule,
  promise:
    'after the last fault every operation of a living process ends in time; a timed tryLock gives up at its time',
  needsClocks: true,
  check(history) {
    const early = turnedAwayEarly(history);
    const healedMs = history.marked('healed');
    if (healedMs === undefined) return { checked: 0, findings: early };
    const later = [...history.operations.values()].filter(
      ({ endedMs, process }) => endedMs > healedMs && history.gone.get(process)?.how !== 'killed',
    );
    const longest = later.reduce((most, each) => Math.max(most, afterMs(each, healedMs)), 0);
    const findings = [...later.flatMap((operation) => late(operation, healedMs, history)), ...early];
    const figures = [{ name: 'longest operation after the last fault', value: `${longest.toFixed(0)} ms` }];
    return { checked: later.length, findings, figures };
  },
};

function afterMs({ invokedMs, endedMs }: OperationRecord, healedMs: number): number {
  return Number.isFinite(endedMs) ? endedMs - Math.max(invokedMs, healedMs) : 0;
}

function late(operation: OperationRecord, healedMs: number, history: History): Finding[] {
  const { op, invoke, invokedMs, endedMs } = operation;
  const dueMs = Math.max(invokedMs, healedMs) + history.run.finishWithinMs;
  const what = `${invoke.operation} ${op}`;
  if (Number.isFinite(endedMs)) {
    return endedMs <= dueMs ? [] : [finding(`${what} ended ${(endedMs - dueMs).toFixed(0)} ms too late`, operation)];
  }
  const isOver = history.marked('end') !== undefined || history.endsMs > dueMs;
  return isOver ? [finding(`${what} never ended, and its process was not killed`, operation)] : [];
}

// A process whose clock is set forward takes its time for over.
function turnedAwayEarly(history: History): Finding[] {
  const clocks = clocksSetIn(history);
  return [...history.operations.values()].flatMap((operation) => {
    const { op, invoke, end, process, invokedMs, endedMs } = operation;
    if (invoke.operation !== 'timedTryLock' || end?.type !== 'ok') return [];
    if (!('granted' in end.result) || end.result.granted) return [];
    const { waitMs } = invoke.arguments;
    const waitedMs = endedMs - invokedMs;
    if (waitedMs >= waitMs - history.run.toleranceMs || clocks.hit(process, invokedMs, endedMs)) return [];
    return [finding(`timedTryLock ${op} gave up after ${waitedMs.toFixed(0)} of ${waitMs} ms`, operation)];
  });
}

function finding(message: string, operation: OperationRecord): Finding {
  return { rule, lockId: operation.lockId, message, events: eventsOf(operation) };
}
