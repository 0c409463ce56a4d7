import type { History } from '../indexed-history.ts';
import type { ChaosRun } from './chaos-run.ts';

/** What was done to a run, in finer kinds than its history has, and how much there was to do it to. */
export function summary(
  { faults, struck, requests, complaints }: ChaosRun,
  { events, operations, holds }: History,
): string {
  return [
    `${events.length} events, ${operations.size} operations, ${holds.size} grants, ${requests} requests`,
    `faults: ${countsText(faults)}`,
    `requests that met one: ${countsText(struck)}`,
    `complaints: ${complaints.length}`,
    ...complaints,
  ].join('\n');
}

function countsText(counts: ReadonlyMap<string, number>): string {
  const parts = [...counts].sort().map(([kind, count]) => `${kind} ${count}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
