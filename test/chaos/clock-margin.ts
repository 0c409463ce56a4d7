import type { History } from './indexed-history.ts';

/**
 * The furthest that the clocks of two processes that serve the locks were apart in a run, milliseconds. Those of workers
 * over HTTP do not count.
 */
export function clocksApartMs({ events, processes }: History): number {
  const counts = (process: string) => processes.get(process)?.role !== 'worker';
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    if (event.type !== 'process' && event.type !== 'clock') continue;
    if (!counts(event.type === 'clock' ? event.of : event.process)) continue;
    lowest = Math.min(lowest, event.clockOffsetMs);
    highest = Math.max(highest, event.clockOffsetMs);
  }
  return Math.max(0, highest - lowest);
}

/** Whether the services' clocks agreed within the margin that the lock needs. */
export function isWithinMargin(history: History): boolean {
  return clocksApartMs(history) <= history.run.clockSkewMs;
}
