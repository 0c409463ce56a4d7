import type { HistoryEvent, Look, Lost } from './history.ts';
import { type Hold, type Term, termOf } from './hold.ts';
import { mayHaveHappened, type OperationRecord } from './operation-record.ts';

interface OpenHold extends Hold {
  readonly terms: Term[];
  readonly looks: Look[];
  readonly releases: OperationRecord[];
  readonly breaks: OperationRecord[];
  lost: Lost | undefined;
}

/** The holds of a history by their ids, in the order in which they were granted. */
export function holdsOf(
  events: readonly HistoryEvent[],
  operations: ReadonlyMap<string, OperationRecord>,
): Map<string, Hold> {
  const holds = grantsOf(events, operations);
  for (const event of events) {
    if (event.type === 'renewed') holds.get(event.hold)?.terms.push(termOf(event, event));
    if (event.type === 'lost') {
      const hold = holds.get(event.hold);
      if (hold) hold.lost ??= event;
    }
    if (event.type === 'look') {
      const hold = holds.get(event.hold);
      hold?.looks.push(event);
      if (event.isHeld) hold?.terms.push(termOf(event, event));
    }
    if (event.type === 'ok' && event.operation === 'renew') {
      const { invoke } = operations.get(event.op) ?? {};
      if (invoke?.operation === 'renew') holds.get(invoke.arguments.hold)?.terms.push(termOf(event, event.result));
    }
  }
  addEnds(holds, operations);
  return holds;
}

function grantsOf(
  events: readonly HistoryEvent[],
  operations: ReadonlyMap<string, OperationRecord>,
): Map<string, OpenHold> {
  const holds = new Map<string, OpenHold>();
  for (const event of events) {
    if (event.type !== 'ok' || !('granted' in event.result) || !event.result.granted) continue;
    const acquisition = operations.get(event.op);
    if (!acquisition) continue;
    const { lockId, process } = acquisition;
    const { fencingToken } = event.result;
    holds.set(event.op, {
      id: event.op,
      lockId,
      process,
      fencingToken,
      acquisition,
      granted: event,
      grantedMs: event.atMs,
      terms: [termOf(event, event.result)],
      looks: [],
      releases: [],
      breaks: [],
      lost: undefined,
    });
  }
  return holds;
}

function addEnds(holds: Map<string, OpenHold>, operations: ReadonlyMap<string, OperationRecord>): void {
  const byToken = new Map([...holds.values()].map((hold) => [tokenKey(hold.lockId, hold.fencingToken), hold]));
  for (const operation of operations.values()) {
    const { invoke, lockId } = operation;
    if (invoke.operation === 'release') holds.get(invoke.arguments.hold)?.releases.push(operation);
    if (invoke.operation === 'break' && mayHaveHappened(operation)) {
      byToken.get(tokenKey(lockId, invoke.arguments.fencingToken))?.breaks.push(operation);
    }
  }
}

function tokenKey(lockId: string, fencingToken: number): string {
  return `${fencingToken} ${lockId}`;
}
