import type { Join, KeepTicket, Leave } from '../../service/lock-store.ts';
import { type Update, update } from './update.ts';

/**
 * join(me): somebody else holds the lock, so I stand in line, once. A lock without an owner is claimed, not joined; a
 * token that has had its lease stands in no line.
 */
export function joinUpdate({ me, ticketEnd, lineLimit }: Join): Update {
  return update(
    'join',
    'attribute_exists(#owner) AND #owner <> :me AND #last <> :me AND #broken <> :me ' +
      'AND NOT contains(#queue, :me) AND size(#queue) < :lineLimit',
    'SET #queue = list_append(#queue, :joining), #tickets.#waiter0 = :ticketEnd, #rev = #rev + :one',
    { ':me': me, ':joining': [me], ':ticketEnd': ticketEnd, ':lineLimit': lineLimit, ':one': 1 },
    { '#waiter0': me },
  );
}

/**
 * keepTicket(me): while I have a ticket, it gets longer. A late older one never shortens it, and none comes back that
 * was taken away. `rev` grows here too: whoever decided from the item that every ticket has ended must be refused.
 */
export function keepTicketUpdate({ me, ticketEnd }: KeepTicket): Update {
  return update(
    'keepTicket',
    // The comparison is false where there is no ticket.
    '#tickets.#waiter0 < :ticketEnd',
    'SET #tickets.#waiter0 = :ticketEnd, #rev = #rev + :one',
    { ':ticketEnd': ticketEnd, ':one': 1 },
    { '#waiter0': me },
  );
}

/** leave(me, i): I stand at place i, and give it up. */
export function leaveUpdate({ me, place }: Leave): Update {
  return update(
    'leave',
    `#queue[${place}] = :me`,
    `SET #rev = #rev + :one REMOVE #queue[${place}], #tickets.#waiter0`,
    { ':me': me, ':one': 1 },
    { '#waiter0': me },
  );
}
