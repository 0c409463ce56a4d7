import type { Checker, Finding } from '../finding.ts';
import type { History } from '../indexed-history.ts';
import { eventsOf, type OperationRecord } from '../operation-record.ts';

const rule = 'liveness';

// An error of the SDK that says that the service could not be used.
const unusable = new Set(['lock-service', 'clock-skew', 'forbidden']);

/** Once nothing is broken any more, whoever lives gets on, in bounded time. */
export const liveness: Checker = {
  rule,
  promise:
    'after the last fault every operation of a living process ends in time, and those begun later succeed or are refused by the rules',
  needsClocks: true,
  check(history) {
    const healedMs = history.marked('healed');
    if (healedMs === undefined) return { checked: 0, findings: [] };
    const later = [...history.operations.values()].filter(
      ({ endedMs, process }) => endedMs > healedMs && history.gone.get(process)?.how !== 'killed',
    );
    const longest = later.reduce((most, each) => Math.max(most, afterMs(each, healedMs)), 0);
    const findings = later.flatMap((operation) => [
      ...late(operation, healedMs, history),
      ...failed(operation, healedMs, history),
    ]);
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

function failed(operation: OperationRecord, healedMs: number, { run }: History): Finding[] {
  const { op, invoke, invokedMs, end } = operation;
  if (invokedMs < healedMs + run.recoverWithinMs || !end || end.type === 'ok') return [];
  if (end.type === 'fail' && !unusable.has(end.code)) return [];
  return [finding(`${invoke.operation} ${op} ended as "${end.type}" (${end.code}), and nothing was broken`, operation)];
}

function finding(message: string, operation: OperationRecord): Finding {
  return { rule, lockId: operation.lockId, message, events: eventsOf(operation) };
}
