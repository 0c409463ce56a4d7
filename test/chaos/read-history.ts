import type { HistoryEvent } from './history.ts';

/**
 * The events of a history, JSON lines: the `run`, then the others in the order of time. What one process dates alike stays
 * in the order in which it was written.
 *
 * @throws Error that names the line, when one is no event
 */
export function readHistory(text: string): HistoryEvent[] {
  return inOrder(text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [eventOf(line, index + 1)])));
}

/** Events of several processes as a history has them: the `run`, then the others in the order of time. */
export function inOrder(events: readonly HistoryEvent[]): HistoryEvent[] {
  const place = (event: HistoryEvent) => (event.type === 'run' ? Number.NEGATIVE_INFINITY : event.atMs);
  return [...events].sort((one, other) => (place(one) < place(other) ? -1 : Number(place(one) > place(other))));
}

function eventOf(line: string, number: number): HistoryEvent {
  const event = parsed(line);
  if (typeof event?.type !== 'string' || !Number.isFinite(event.atMs) || typeof event.process !== 'string') {
    const shown = line.length > 120 ? `${line.slice(0, 120)}…` : line;
    throw new Error(
      `line ${number} of the history is no event, which is a JSON object with type, atMs and process: ${shown}`,
    );
  }
  return event as HistoryEvent;
}

function parsed(line: string): Partial<HistoryEvent> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
