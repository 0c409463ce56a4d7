import type { HistoryEvent, Item } from './history.ts';
import type { History } from './indexed-history.ts';
import type { Remaining } from './operations.ts';

/** An event on one line, for people: milliseconds since the run began, who saw it, and what it tells. */
export function eventLine(event: HistoryEvent, { run, operations, holds }: History): string {
  const at = (event.atMs - run.atMs).toFixed(1).padStart(10);
  return `${at}  ${event.process.padEnd(8)} ${what(event)}`;

  function what(told: HistoryEvent): string {
    switch (told.type) {
      case 'run':
        return `run, seed ${told.seed}`;
      case 'process':
        return `begins as ${told.role}, its clock ${told.clockOffsetMs} ms ahead`;
      case 'processEnd':
        return `${told.gone} is gone: ${told.how}`;
      case 'clock':
        return `the clock of ${told.of} is set ${told.clockOffsetMs} ms ahead`;
      case 'invoke':
        return `${told.operation} ${told.op} …${pairs(told.arguments)}`;
      case 'ok':
        return `${told.operation} ${told.op} ok${pairs(told.result, 'lookedAtMs')}`;
      case 'fail':
        return `${operationOf(told.op)} ${told.op} failed: ${told.code}${told.reason ? `, ${told.reason}` : ''}`;
      case 'unknown':
        return `${operationOf(told.op)} ${told.op} may have happened: ${told.code}`;
      case 'waiting':
        return `${operationOf(told.op)} ${told.op} waits`;
      case 'renewed':
        return `${holdOf(told.hold)} renewed, ${left(told)}`;
      case 'lost':
        return `${holdOf(told.hold)} lost: ${told.reason}`;
      case 'look':
        return `${holdOf(told.hold)} ${told.isHeld ? `is held, ${left(told)}` : 'is not held'}`;
      case 'stall':
        return `did not run for ${(told.atMs - told.fromMs).toFixed(0)} ms`;
      case 'fault':
        return `fault ${told.fault} begins: ${told.kind} of ${told.target}`;
      case 'faultEnd':
        return `fault ${told.fault} is over`;
      case 'mark':
        return `── ${told.mark} ──`;
      case 'item':
        return `item ${itemText(told)}`;
      case 'register':
        return `register: write ${told.sequence}${pairs({ value: told.value, fencingToken: told.fencingToken })}`;
      case 'counter':
        return `counter: ${told.value}`;
      case 'exchange': {
        const copy = told.copyOf === undefined ? '' : `, copy of ${told.copyOf}`;
        const reply = `${told.reply.kind}${pairs(told.reply, 'kind')}${told.isDelivered ? '' : ' (never delivered)'}`;
        return `${told.operation} ${told.exchange} of owner ${told.owner}${copy} → ${reply}`;
      }
      case 'leftovers':
        return `has ${told.timers} timers and ${told.busySockets} busy sockets left`;
    }
  }

  function operationOf(op: string): string {
    return operations.get(op)?.invoke.operation ?? 'operation';
  }

  function holdOf(hold: string): string {
    const { fencingToken } = holds.get(hold) ?? {};
    return `hold ${hold}${fencingToken === undefined ? '' : ` (fencing token ${fencingToken})`}`;
  }
}

function left({ remainingMs }: Remaining): string {
  return `${remainingMs} ms left`;
}

function itemText({ item }: Item): string {
  if (!item) return 'is not there';
  const { owner, fence, rev, isProvisional, queue } = item;
  const state = owner === undefined ? 'free' : `${isProvisional ? 'provisionally ' : ''}of owner ${owner}`;
  const line = queue.length === 0 ? '' : `, in line ${queue.join(' ')}`;
  return `${state}, fencing token ${fence}, rev ${rev}${line}`;
}

function pairs(told: object, ...without: string[]): string {
  const shown = Object.entries(told).filter(([name, value]) => value !== undefined && !without.includes(name));
  return shown.map(([name, value]) => ` ${name}=${typeof value === 'number' ? rounded(value) : value}`).join('');
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
