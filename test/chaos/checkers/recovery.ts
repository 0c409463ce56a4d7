import { faultsHitting } from '../disturbances.ts';
import type { Checker } from '../finding.ts';
import { eventsOf, type OperationRecord } from '../operation-record.ts';

const rule = 'recovery';

// An error of the SDK that says that the service could not be used.
const unusable = new Set(['lock-service', 'clock-skew', 'forbidden']);
// A renewal by hand waits for its answer for a sixth of its lease.
const renewalShare = 1 / 6;

/**
 * Whoever begins something when everybody has had time to recover succeeds, or is refused by the rules. Nobody does in a run
 * that ends before; a machine that stalls is a fault like any other.
 */
export const recovery: Checker = {
  rule,
  promise: 'what begins after the last fault, and time to recover from it, succeeds or is refused by the rules',
  needsClocks: true,
  check(history) {
    const { run, holds, operations } = history;
    const healedMs = history.marked('healed');
    if (healedMs === undefined) return { checked: 0, findings: [] };
    const faults = faultsHitting(history);
    const calm = [...operations.values()].filter(
      ({ invokedMs, endedMs, end, process }) =>
        end !== undefined && invokedMs >= healedMs + run.recoverWithinMs && !faults.hit(process, invokedMs, endedMs),
    );
    const leaseMsOf = (hold: string) => {
      const { arguments: asked } = holds.get(hold)?.acquisition.invoke ?? {};
      return asked && 'leaseMs' in asked ? asked.leaseMs : run.leaseMs;
    };
    const failed = calm.filter((operation) => isUnusable(operation) && !isOutOfTime(operation, leaseMsOf));
    const findings = failed.map((operation) => {
      const { op, invoke, end, lockId } = operation;
      const code = end && 'code' in end ? end.code : '';
      const message = `${invoke.operation} ${op} ended as "${end?.type}" (${code}), and nothing was broken`;
      return { rule, lockId, message, events: eventsOf(operation) };
    });
    return { checked: calm.length, findings };
  },
};

function isUnusable({ end }: OperationRecord): boolean {
  return end?.type === 'unknown' || (end?.type === 'fail' && unusable.has(end.code));
}

// So short a time passes on a busy machine without anybody standing still for as long as a stall.
function isOutOfTime({ invoke, invokedMs, endedMs }: OperationRecord, leaseMsOf: (hold: string) => number): boolean {
  if (invoke.operation !== 'renew') return false;
  // A timer may be a little early by another clock.
  return endedMs - invokedMs >= 0.95 * renewalShare * leaseMsOf(invoke.arguments.hold);
}
