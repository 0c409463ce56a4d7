import { clocksSetIn, type Disturbances, faultsHitting } from '../disturbances.ts';
import type { Finding } from '../finding.ts';
import { boundsOf, type Hold, knownDeadlineMs } from '../hold.ts';
import type { History } from '../indexed-history.ts';
import { eventsOf, type OperationRecord } from '../operation-record.ts';

/** Releases and renewals that succeeded although they began when their hold was over. */
export function lateSuccesses(rule: string, history: History): Finding[] {
  const faults = faultsHitting(history);
  const clocks = clocksSetIn(history);
  return [...history.operations.values()].flatMap((operation) => {
    const { invoke, end, op, lockId } = operation;
    if (end?.type !== 'ok' || (invoke.operation !== 'release' && invoke.operation !== 'renew')) return [];
    const hold = history.holds.get(invoke.arguments.hold);
    const why = hold && whyOver(hold, operation, faults, clocks);
    if (!hold || why === undefined) return [];
    const message = `the ${invoke.operation} ${op} succeeded after ${hold.id} ${why}`;
    return [{ rule, lockId, message, events: [...boundsOf(hold), ...eventsOf(operation)] }];
  });
}

function whyOver(
  hold: Hold,
  { op, invoke, invokedMs, process, endedMs }: OperationRecord,
  faults: Disturbances,
  clocks: Disturbances,
): string | undefined {
  if (hold.lost && hold.lost.atMs < invokedMs) return 'was lost';
  // A release that is tried again after one of unknown outcome may succeed at any time: it is out, one way or the other.
  if (hold.releases.some((release) => release.op !== op && release.invokedMs < invokedMs)) return undefined;
  // Whoever asks finds by its own clock that it is over. (One that was set forth and back may have shown too little time.)
  const isClockSet = clocks.hit(process, hold.acquisition.invokedMs, invokedMs);
  if (invokedMs > knownDeadlineMs(hold, invokedMs) && !isClockSet) return 'had ended by its own deadline';
  if (invoke.operation !== 'release' || faults.hit(process, invokedMs, endedMs)) return undefined;
  // Where the reply to a first try is lost, a second one finds that it is out, and no more is wanted.
  const isBroken = hold.breaks.some((done) => done.end?.type === 'ok' && done.endedMs < invokedMs);
  return isBroken ? 'was broken, which was acknowledged' : undefined;
}
