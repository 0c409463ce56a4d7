import type { HistoryEvent, Mark, ProcessEnd, ProcessStart, Run } from './history.ts';
import type { Hold } from './hold.ts';
import { holdsOf } from './holds.ts';
import { type OperationRecord, operationsOf } from './operation-record.ts';

/** A history, and what the checkers look up in it. */
export interface History {
  readonly run: Run;
  /** In the order of time, as `readHistory` gives them. */
  readonly events: readonly HistoryEvent[];
  readonly operations: ReadonlyMap<string, OperationRecord>;
  readonly holds: ReadonlyMap<string, Hold>;
  readonly processes: ReadonlyMap<string, ProcessStart>;
  readonly gone: ReadonlyMap<string, ProcessEnd>;
  /** When a mark was set; nothing: never. */
  marked(mark: Mark['mark']): number | undefined;
  /** When the last event was seen. */
  readonly endsMs: number;
}

/** @throws Error when the first event is no `run` */
export function indexedHistory(events: readonly HistoryEvent[]): History {
  const [run] = events;
  if (run?.type !== 'run') throw new Error(`a history begins with a "run" event, got ${run?.type ?? 'nothing'}`);
  const operations = operationsOf(events);
  const ofType = <T extends HistoryEvent['type']>(type: T) =>
    events.filter((event): event is Extract<HistoryEvent, { type: T }> => event.type === type);
  const marks = new Map(ofType('mark').map(({ mark, atMs }) => [mark, atMs]));
  return {
    run,
    events,
    operations,
    holds: holdsOf(events, operations),
    processes: new Map(ofType('process').map((event) => [event.process, event])),
    gone: new Map(ofType('processEnd').map((event) => [event.gone, event])),
    marked: (mark) => marks.get(mark),
    endsMs: events.at(-1)?.atMs ?? run.atMs,
  };
}
