import type { Checker, Finding } from '../finding.ts';
import type { Item, Leftovers, ProcessEnd } from '../history.ts';
import type { History } from '../indexed-history.ts';

const rule = 'residue';

/** When everything is over, nothing is left of it but rows at rest. */
export const residue: Checker = {
  rule,
  promise:
    'in the end every lock is free, nobody is in line, and no worker has a timer or a request left, or anything that keeps it from exiting',
  needsClocks: true,
  check(history) {
    const endMs = history.marked('end');
    if (endMs === undefined) return { checked: 0, findings: [] };
    const items = new Map<string, Item>();
    const leftovers = new Map<string, Leftovers>();
    for (const event of history.events) {
      if (event.type === 'item' && event.sentMs >= endMs) items.set(event.lockId, event);
      if (event.type === 'leftovers') leftovers.set(event.process, event);
    }
    const locks = [...new Set([...history.operations.values()].map(({ lockId }) => lockId))];
    const workers = livingWorkers(history);
    const findings = [
      ...locks.flatMap((lockId) => stored(lockId, items.get(lockId))),
      ...workers.flatMap((process) => left(process, leftovers.get(process))),
      ...workers.flatMap((process) => hung(history.gone.get(process))),
    ];
    return { checked: locks.length + workers.length, findings };
  },
};

function livingWorkers({ processes, gone }: History): string[] {
  return [...processes.values()]
    .filter(({ role, process }) => role !== 'service' && gone.get(process)?.how !== 'killed')
    .map(({ process }) => process);
}

function stored(lockId: string, look: Item | undefined): Finding[] {
  if (!look) return [{ rule, lockId, message: 'nobody looked at its item after the end', events: [] }];
  if (!look.item) return [];
  const { owner, queue, tickets } = look.item;
  const ticketCount = Object.keys(tickets).length;
  if (owner === undefined && queue.length === 0 && ticketCount === 0) return [];
  const state = owner === undefined ? 'is free' : `has the owner ${owner}`;
  const message = `its item ${state}, with ${queue.length} in line and ${ticketCount} tickets`;
  return [{ rule, lockId, message, events: [look] }];
}

function hung(end: ProcessEnd | undefined): Finding[] {
  if (end?.how !== 'hung') return [];
  return [{ rule, message: `${end.gone} did not exit by itself when its factory was disposed`, events: [end] }];
}

function left(process: string, told: Leftovers | undefined): Finding[] {
  if (!told) return [{ rule, message: `${process} did not tell what it had left`, events: [] }];
  const { timers, busySockets } = told;
  if (timers === 0 && busySockets === 0) return [];
  return [{ rule, message: `${process} had ${timers} timers and ${busySockets} busy sockets left`, events: [told] }];
}
