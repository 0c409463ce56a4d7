import type { Fail, HistoryEvent, Invoke, Ok, Unknown } from './history.ts';

/** One operation, from its `invoke` to its end. */
export interface OperationRecord {
  readonly op: string;
  readonly process: string;
  readonly lockId: string;
  readonly invoke: Invoke;
  readonly invokedMs: number;
  /** Nothing: it never ended. */
  readonly end: Ok | Fail | Unknown | undefined;
  /** Infinity: it never ended. */
  readonly endedMs: number;
  /** When it was told to wait. */
  readonly waitingMs: number | undefined;
}

/** The operations of a history by their ids, in the order in which they began. */
export function operationsOf(events: readonly HistoryEvent[]): Map<string, OperationRecord> {
  const ends = new Map<string, Ok | Fail | Unknown>();
  const waiting = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'ok' || event.type === 'fail' || event.type === 'unknown') ends.set(event.op, event);
    if (event.type === 'waiting' && !waiting.has(event.op)) waiting.set(event.op, event.atMs);
  }
  const operations = new Map<string, OperationRecord>();
  for (const event of events) {
    if (event.type !== 'invoke') continue;
    const { op, process, lockId } = event;
    const end = ends.get(op);
    operations.set(op, {
      op,
      process,
      lockId,
      invoke: event,
      invokedMs: event.atMs,
      end,
      endedMs: end?.atMs ?? Number.POSITIVE_INFINITY,
      waitingMs: waiting.get(op),
    });
  }
  return operations;
}

/** Whether it may have changed something: it did not fail. */
export function mayHaveHappened({ end }: OperationRecord): boolean {
  return end?.type !== 'fail';
}

/** The events that an operation is made of. */
export function eventsOf({ invoke, end }: OperationRecord): HistoryEvent[] {
  return end ? [invoke, end] : [invoke];
}
