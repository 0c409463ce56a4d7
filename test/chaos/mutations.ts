import type { HistoryEvent } from './history.ts';
import type { Hold } from './hold.ts';
import type { History } from './indexed-history.ts';
import { bounds, invoke, lost, renewed, unknown } from './told.ts';

type Event<T extends HistoryEvent['type']> = Extract<HistoryEvent, { type: T }>;

/** A fault of a lock: what the events of a right one would be with it; nothing where there is no place for it. */
export type Mutation = (history: History, events: readonly HistoryEvent[]) => HistoryEvent[] | undefined;

function holdsInOrder({ holds }: History): Hold[] {
  return [...holds.values()].sort((one, other) => one.fencingToken - other.fencingToken);
}

function change(events: readonly HistoryEvent[], which: HistoryEvent, changed: Partial<HistoryEvent>): HistoryEvent[] {
  return events.map((event) => (event === which ? ({ ...event, ...changed } as HistoryEvent) : event));
}

function without(events: readonly HistoryEvent[], which: readonly HistoryEvent[]): HistoryEvent[] {
  return events.filter((event) => !which.includes(event));
}

function withFence(hold: Hold, fencingToken: number): Partial<Event<'ok'>> {
  return { result: { ...hold.granted.result, fencingToken } } as Partial<Event<'ok'>>;
}

function first<T extends HistoryEvent['type']>(events: readonly HistoryEvent[], type: T): Event<T> | undefined {
  return events.find((event): event is Event<T> => event.type === type);
}

/** Two holds one after the other of which the first was given back well before its deadline. */
function neighbours(history: History): readonly [Hold, Hold] | undefined {
  const holds = holdsInOrder(history);
  const at = holds.findIndex((hold, index) => hold.releases[0]?.end?.type === 'ok' && holds[index + 1] !== undefined);
  const [one, other] = [holds[at], holds[at + 1]];
  return one && other ? [one, other] : undefined;
}

/** By the rule that has to find them. */
export const mutations: Readonly<Record<string, readonly [what: string, Mutation][]>> = {
  history: [['a file of it is read twice', (_, events) => [...events, ...events.slice(-20)]]],
  fences: [
    [
      'a grant has the fencing token of the one before',
      (history, events) => {
        const [one, other] = neighbours(history) ?? [];
        return one && other && change(events, other.granted, withFence(other, one.fencingToken));
      },
    ],
    [
      'a fencing token falls below one that only a look at the item showed',
      (history, events) => {
        const hold = holdsInOrder(history).at(-1);
        const stored = first(events, 'item');
        if (!hold || !stored?.item || stored.atMs >= hold.acquisition.invokedMs) return undefined;
        return change(events, stored, { item: { ...stored.item, fence: hold.fencingToken + 1 } });
      },
    ],
    [
      'a fencing token falls',
      (history, events) => {
        const hold = holdsInOrder(history).at(-1);
        return hold && change(events, hold.granted, withFence(hold, 7));
      },
    ],
  ],
  exclusion: [
    [
      'a holder goes on until after the next grant',
      (history, events) => {
        const [one, other] = neighbours(history) ?? [];
        const began = one?.releases[0]?.invoke;
        if (!one || !other || !began || other.grantedMs + 2 > (one.terms[0]?.earliestMs ?? 0)) return undefined;
        const ended = one.releases[0]?.end as HistoryEvent;
        const late = change(events, began, { atMs: other.grantedMs + 1 });
        return change(late, ended, { atMs: other.grantedMs + 2 });
      },
    ],
  ],
  mutex: [
    [
      'a lock is granted without a release',
      (history, events) => {
        const [one, other] = neighbours(history) ?? [];
        const given = one?.releases[0];
        if (!one || !other || !given?.end || other.grantedMs > (one.terms[0]?.earliestMs ?? 0)) return undefined;
        return without(events, [given.invoke, given.end]);
      },
    ],
  ],
  register: [
    [
      'the last write is lost',
      (_, events) => {
        const left = first(events, 'register');
        return left && left.sequence > 0 ? change(events, left, { sequence: left.sequence - 1 }) : undefined;
      },
    ],
    [
      'an older write comes after a newer one',
      (_, events) => {
        const writes = events.filter((event) => event.type === 'ok' && event.operation === 'fencedWrite');
        const [one] = writes;
        const other = writes.at(-1);
        if (!one || !other || one === other) return undefined;
        const swapped = change(events, one, { result: (other as { result: object }).result } as Partial<HistoryEvent>);
        return change(swapped, other, { result: (one as { result: object }).result } as Partial<HistoryEvent>);
      },
    ],
  ],
  'lost signal': [
    [
      'a holder that froze never learns that it lost',
      (_, events) => {
        const signal = events.find(
          (event): event is Event<'lost'> => event.type === 'lost' && event.reason === 'expired',
        );
        return signal && without(events, [signal]).filter((event) => !isReleaseOf(event, signal.hold));
      },
    ],
  ],
  'repeated requests': [
    [
      'a repeat is granted anew',
      (_, events) => {
        const once = first(events, 'exchange');
        if (once?.reply.kind !== 'granted') return undefined;
        const reply = { ...once.reply, fencingToken: once.reply.fencingToken + 1 };
        return [...events, { ...once, exchange: 'again', copyOf: once.exchange, reply }];
      },
    ],
    [
      'a repeat is granted after the release',
      (_, events) => {
        const once = first(events, 'exchange');
        const end = events.find((event) => event.type === 'exchange' && event.reply.kind === 'released');
        if (once?.reply.kind !== 'granted' || end?.type !== 'exchange' || end.owner !== once.owner) return undefined;
        return [...events, { ...once, exchange: 'again', sentMs: end.atMs + 1, atMs: end.atMs + 2 }];
      },
    ],
  ],
  'stale operations': [
    [
      'a holder loses its lock that nobody else was given',
      (history, events) => {
        const [one] = neighbours(history) ?? [];
        const given = one?.releases[0];
        if (!one || !given?.end) return undefined;
        return [...without(events, [given.invoke, given.end]), lost(one.id, one.grantedMs + 1, 'superseded')];
      },
    ],
    [
      'a break that was acknowledged does nothing',
      (history, events) => {
        const hold = holdsInOrder(history).find(({ breaks }) => breaks[0]?.end?.type === 'ok');
        const brokenMs = hold?.breaks[0]?.endedMs;
        return hold && brokenMs !== undefined ? [...events, renewed(hold.id, brokenMs + 1)] : undefined;
      },
    ],
    [
      'a holder is renewed when the next one was granted the lock',
      (history, events) => {
        const [one, other] = neighbours(history) ?? [];
        return one && other && [...events, renewed(one.id, other.grantedMs + 1)];
      },
    ],
    [
      'another than its holder gives a lock back',
      (_, events) => {
        const last = events.findLast((event): event is Event<'item'> => event.type === 'item');
        return last?.item ? change(events, last, { item: { ...last.item, last: 'somebody' } }) : undefined;
      },
    ],
    [
      'the stored item goes back',
      (_, events) => {
        const items = events.filter((event): event is Event<'item'> => event.type === 'item');
        const last = items.at(-1);
        return last?.item ? change(events, last, { item: { ...last.item, rev: 1 } }) : undefined;
      },
    ],
  ],
  'first come, first served': [
    [
      'one is served that asked long after another who waits',
      (history, events) => {
        // A waiter may be overtaken that a fault hit, or a break.
        if (first(events, 'fault') || first(events, 'lost')) return undefined;
        const holds = holdsInOrder(history);
        const hold = holds.find(({ process, grantedMs }, index) => {
          const next = holds[index + 1];
          const waitingMs = next?.acquisition.waitingMs ?? Number.POSITIVE_INFINITY;
          return next?.process !== process && waitingMs + bounds.joinWithinMs + 2 < grantedMs;
        });
        if (!hold) return undefined;
        const late = change(events, hold.acquisition.invoke, { atMs: hold.grantedMs - 1 });
        return late.filter((event) => event.type !== 'waiting' || event.op !== hold.id);
      },
    ],
  ],
  liveness: [
    [
      'the last waiter is never served',
      (history, events) => {
        const hold = holdsInOrder(history).findLast(({ process }) => !history.gone.has(process));
        return hold && without(events, [hold.granted]);
      },
    ],
  ],
  recovery: [
    [
      'what begins long after the last fault gets no answer',
      (_, events) => {
        const healed = events.find((event) => event.type === 'mark' && event.mark === 'healed');
        if (!healed) return undefined;
        const atMs = healed.atMs + bounds.recoverWithinMs;
        const asked = invoke('probe.1', 'lock', atMs, { leaseMs: bounds.leaseMs });

        return [...events, asked, unknown('probe.1', atMs + 1)];
      },
    ],
  ],
  residue: [
    [
      'a row keeps its owner',
      (_, events) => {
        const last = events.findLast((event): event is Event<'item'> => event.type === 'item');
        return last?.item ? change(events, last, { item: { ...last.item, owner: 'alice' } }) : undefined;
      },
    ],
  ],
};

function isReleaseOf(event: HistoryEvent, hold: string): boolean {
  return 'op' in event && event.op === `${hold}-release`;
}
