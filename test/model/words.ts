import type { LockItem } from '../../lambda/service/lock-item.ts';
import type { Action, Whose } from './actions.ts';
import type { Process } from './process.ts';
import type { Argument, StoreCall } from './store-call.ts';
import { inTicks } from './ticks.ts';
import { believes, type World } from './world.ts';

/** Names tokens in the order in which they come up: a1 is the first of client A. */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #counts: number[] = [];

  /** Tells whose a token is; a token that comes back is a fresh one. */
  learn(world: World): void {
    for (const [index, { token, heir }] of world.clients.entries()) {
      for (const each of [token, heir]) this.#learn(index, each);
    }
  }

  #learn(index: number, token: string): void {
    const known = this.#names.get(token)?.startsWith(letter(index).toLowerCase());
    if (token === '' || known) return;
    const count = (this.#counts[index] ?? 0) + 1;
    this.#counts[index] = count;
    this.#names.set(token, `${letter(index).toLowerCase()}${count}`);
  }

  of(token: string): string {
    return this.#names.get(token) ?? '?';
  }
}

function letter(index: number): string {
  return String.fromCharCode(65 + index);
}

/** One step of a trace: what happened, and how things stand after it. Times are ticks from now. */
export function describe(names: Names, before: World, action: Action, after: World): string {
  names.learn(before);
  names.learn(after);
  return `${happened(names, before, action, after)}\n      ${standing(names, after)}`;
}

function happened(names: Names, before: World, action: Action, after: World): string {
  switch (action.kind) {
    case 'ask':
      return `${letter(action.client)} asks (${action.mode})${clock(action.aheadMs)}`;
    case 'go on': {
      const phase = before.clients[action.client]?.phase;
      const does =
        { granted: 'confirms', unreleased: 'releases', unanswered: 'repeats' }[phase as string] ?? 'asks again';
      return `${letter(action.client)} ${does}${clock(action.aheadMs)}`;
    }
    case 'renew':
    case 'release':
      return `${letter(action.client)} sends ${action.kind}${clock(action.aheadMs)}`;
    case 'transfer':
      return `${letter(action.client)} sends release with the heir ${names.of(after.clients[action.client]?.heir ?? '')}${clock(action.aheadMs)}`;
    case 'inherit':
      return `the heir of ${letter(action.client)} goes on by ${action.by}${clock(action.aheadMs)}`;
    case 'store': {
      const pending = ofWhom(before, action.whose)?.pending;
      if (pending?.kind !== 'call') return '';
      const { operation } = pending.call;
      const how = operation === 'read' ? '' : did(before, after, action.delivery);
      const fault = action.delivery === 'answered' ? '' : ` (${action.delivery})`;
      return `${who(names, before, action.whose)}: ${callInWords(names, pending.call)}${how}${fault}`;
    }
    case 'wake':
      return `${who(names, before, action.whose)} looks again`;
    case 'late write': {
      const call = before.late[action.index]?.call;
      return `late: ${call ? callInWords(names, call) : ''}${did(before, after, 'late')}`;
    }
    case 'crash':
    case 'time-out':
    case 'abort':
      return `${letter(action.client)}: ${action.kind}`;
    case 'break':
      return `an administrator breaks the hold`;
    case 'delete':
      return 'the item is deleted after its retention';
    case 'tick':
      return 'a tick passes';
  }
}

function did(before: World, after: World, delivery: string): string {
  if (delivery === 'held up') return ' is sent';
  return after.item === before.item ? ' is refused' : ' is written';
}

function clock(aheadMs: number): string {
  return aheadMs === 0 ? '' : ', on a clock that is one margin ahead';
}

function ofWhom({ clients, strays }: World, whose: Whose): Process | undefined {
  return 'client' in whose ? clients[whose.client]?.process : strays[whose.stray];
}

function who(names: Names, world: World, whose: Whose): string {
  if ('client' in whose) return letter(whose.client);
  const token = ofWhom(world, whose)?.request.token ?? '';
  return token === '' ? 'the administrator' : `a request for ${names.of(token)} that nobody waits for`;
}

function callInWords(names: Names, { operation, argument }: StoreCall): string {
  const { me, heir, cut, over, until, ticketEnd, next, skipped } = argument;
  const words = [
    me === undefined ? undefined : names.of(me),
    next && `next ${names.of(next.owner)}`,
    heir === undefined ? undefined : `heir ${names.of(heir)}`,
    time('cut', over ?? cut),
    time('until', until ?? next?.until),
    time('ticket until', ticketEnd),
    skipped && skipped.length > 0 ? `skipped ${skipped.map((each) => names.of(each)).join(' ')}` : undefined,
    pins(argument),
  ];
  const name = operation === 'read' ? (argument.consistent ? 'strong read' : 'read') : operation;
  const known = words.filter((word) => word !== undefined);
  return known.length > 0 ? `${name}(${known.join(', ')})` : name;
}

function time(name: string, at: number | undefined): string | undefined {
  return at === undefined ? undefined : `${name} ${inTicks(at)}`;
}

function pins({ rev, fence }: Argument): string | undefined {
  return rev === undefined || fence === undefined ? undefined : `rev ${rev}, fence ${fence}`;
}

function standing(names: Names, { item, clients }: World): string {
  const believers = clients.flatMap((client, index) =>
    believes(client) ? [`${letter(index)} believes it holds until ${inTicks(client.deadline)}`] : [],
  );
  return [itemInWords(names, item), ...believers].join('; ');
}

function itemInWords(names: Names, item: LockItem | undefined): string {
  if (item === undefined) return 'no item';
  const { owner, until = Number.NaN, principal, queue, tickets, last } = item;
  const hold = owner === undefined ? 'free' : `owner ${names.of(owner)} until ${inTicks(until)}`;
  const line = queue.map((waiter) => `${names.of(waiter)} ticket ${inTicks(tickets[waiter] ?? Number.NaN)}`);
  const provisional = owner !== undefined && principal === undefined ? ' provisional' : '';
  return `${hold}${provisional}${line.length > 0 ? `; line: ${line.join(', ')}` : ''}${last === undefined ? '' : `; last ${names.of(last)}`}`;
}
