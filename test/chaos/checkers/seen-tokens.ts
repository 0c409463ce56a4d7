import type { HistoryEvent } from '../history.ts';
import { confirmation, confirmedMs, type Hold } from '../hold.ts';
import type { History } from '../indexed-history.ts';
import type { Timed } from '../real-time.ts';

/** The fencing token that a lock had at a moment between two: from then on it has none that is smaller. */
export interface SeenToken extends Timed {
  readonly lockId: string;
  /** The fencing token. */
  readonly number: number;
  /**
   * `grant`: a worker was granted it. `hold`: the service said that a hold of it lasts. `reply`: the service answered with it
   * to an owner token. `item`: it was stored.
   */
  readonly by: 'grant' | 'hold' | 'reply' | 'item';
  /** Its hold, where it is known of one. */
  readonly hold?: Hold;
  readonly events: readonly HistoryEvent[];
}

/** Where a history shows which fencing token each lock had. */
export function seenTokens({ holds, events }: History): SeenToken[] {
  return [...[...holds.values()].flatMap(ofHold), ...events.flatMap(ofEvent)];
}

function ofHold(hold: Hold): SeenToken[] {
  const { lockId, fencingToken: number, acquisition, grantedMs, granted } = hold;
  const { seen } = confirmation(hold) ?? {};
  const grant = { fromMs: acquisition.invokedMs, byMs: grantedMs, events: [acquisition.invoke, granted] };
  const lasting = { fromMs: confirmedMs(hold), byMs: seen?.atMs ?? grantedMs, events: [granted, seen ?? granted] };
  return [
    { by: 'grant', lockId, number, hold, ...grant },
    { by: 'hold', lockId, number, hold, ...lasting },
  ];
}

function ofEvent(event: HistoryEvent): SeenToken[] {
  if (event.type === 'item') {
    const { lockId, item, sentMs: fromMs, atMs: byMs } = event;
    return item ? [{ by: 'item', lockId, number: item.fence, fromMs, byMs, events: [event] }] : [];
  }
  if (event.type !== 'exchange') return [];
  const { lockId, reply, sentMs, atMs: byMs } = event;
  const number = reply.kind === 'granted' ? reply.fencingToken : reply.kind === 'released' && reply.heirFencingToken;
  if (typeof number !== 'number') return [];
  // What a waiter is told before it confirms may come from an old read, so only that it was so before is certain.
  const fromMs = reply.kind === 'granted' && reply.isProvisional ? Number.NEGATIVE_INFINITY : sentMs;
  return [{ by: 'reply', lockId, number, fromMs, byMs, events: [event] }];
}
