import type { Finding } from './finding.ts';
import { type HistoryEvent, isAcquiring } from './history.ts';
import type { History } from './indexed-history.ts';

/**
 * What happened around a finding, in the order of time: its own events, and from the last grant of its lock before them to
 * the first after them whatever changed the lock, and what hit the processes that took part.
 */
export function around(history: History, finding: Finding): HistoryEvent[] {
  const own = new Set(finding.events);
  const { fromMs, toMs } = stretchOf(history, finding);
  const told = history.events.filter(
    (event) => own.has(event) || (event.atMs >= fromMs && event.atMs <= toMs && isOfLock(event, history, finding)),
  );
  const processes = new Set(told.map(({ process }) => process));
  return history.events.filter(
    (event) =>
      own.has(event) ||
      (event.atMs >= fromMs &&
        event.atMs <= toMs &&
        (isOfLock(event, history, finding) || isHit(event, history, processes))),
  );
}

function stretchOf({ holds }: History, { lockId, events }: Finding): { fromMs: number; toMs: number } {
  const times = events.map(({ atMs }) => atMs);
  const first = Math.min(...times);
  const last = Math.max(...times);
  let fromMs = first;
  let toMs = last;
  let isLastFound = false;
  // Holds come in the order of their grants.
  for (const hold of holds.values()) {
    if (hold.lockId !== lockId) continue;
    if (hold.grantedMs < first) fromMs = hold.acquisition.invokedMs;
    if (hold.grantedMs > last && !isLastFound) {
      toMs = hold.grantedMs;
      isLastFound = true;
    }
  }
  return { fromMs, toMs };
}

// What changes a lock or is told of a change; looks, renewals and work under it are only shown where they are the finding.
function isOfLock(event: HistoryEvent, { operations, holds }: History, { lockId }: Finding): boolean {
  if (lockId === undefined) return false;
  switch (event.type) {
    case 'invoke':
    case 'ok':
    case 'fail':
    case 'unknown':
    case 'waiting': {
      const { invoke } = operations.get(event.op) ?? {};
      if (invoke?.lockId !== lockId) return false;
      return isAcquiring(invoke.operation) || invoke.operation === 'release' || invoke.operation === 'break';
    }
    case 'lost':
      return holds.get(event.hold)?.lockId === lockId;
    default:
      return false;
  }
}

function isHit(event: HistoryEvent, history: History, processes: ReadonlySet<string>): boolean {
  switch (event.type) {
    case 'stall':
      return processes.has(event.process);
    case 'processEnd':
      return processes.has(event.gone);
    case 'clock':
      return processes.has(event.of) || history.processes.get(event.of)?.role === 'service';
    case 'fault':
      return event.hits === 'all' || event.hits.some((process) => processes.has(process));
    case 'mark':
      return true;
    default:
      return false;
  }
}
