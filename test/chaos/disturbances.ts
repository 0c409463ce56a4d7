import { groupedBy } from './grouping.ts';
import type { Fault, HistoryEvent } from './history.ts';
import type { History } from './indexed-history.ts';

/** A stretch of time, host milliseconds. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One of something; undefined: of all. */
interface StretchOf extends Stretch {
  readonly of: string | undefined;
}

/** When each of several things, such as processes, was hit by something. */
export class Disturbances {
  readonly #byThing = new Map<string, Stretch[]>();
  readonly #ofAll: readonly Stretch[];

  /** @param stretches of the thing that they name, or of all */
  constructor(stretches: Iterable<StretchOf>) {
    const apart = groupedBy(stretches, ({ of }) => of);
    this.#ofAll = merged(apart.get(undefined) ?? []);
    for (const [thing, own] of apart) {
      if (thing !== undefined) this.#byThing.set(thing, merged([...own, ...this.#ofAll]));
    }
  }

  /** Whether one was hit between two moments. */
  hit(thing: string, fromMs: number, toMs: number): boolean {
    const last = lastBegunBy(this.#of(thing), toMs);
    return last !== undefined && last.toMs >= fromMs;
  }

  /** When one, after all that had begun by a moment, had been left alone for so long; Infinity: never. */
  settledMs(thing: string, atMs: number, forMs: number): number {
    let fromMs = atMs;
    for (;;) {
      const last = lastBegunBy(this.#of(thing), fromMs + forMs);
      if (last === undefined || last.toMs <= fromMs) return fromMs + forMs;
      fromMs = last.toMs;
    }
  }

  #of(thing: string): readonly Stretch[] {
    return this.#byThing.get(thing) ?? this.#ofAll;
  }
}

/** When each process did not run: frozen, stalled or gone. */
export function pausesIn(history: History): Disturbances {
  const { events } = history;
  const frozen = faultsOf(events).filter(({ fault }) => fault.kind === 'freeze' || fault.kind === 'kill');
  return new Disturbances([
    ...frozen.map(({ fault, toMs }) => ({ of: fault.target, fromMs: fault.atMs, toMs: endOf(fault, toMs) })),
    ...stallsOf(events),
    ...goneFrom(history),
  ]);
}

/**
 * When each process may have answered late or not at all: hit by a fault, stalled, or gone; and for a while after, until
 * it has recovered. Where a service stalls, it is all of them.
 */
export function faultsHitting(history: History): Disturbances {
  const { events, run, processes } = history;
  const recover = (stretch: StretchOf) => ({ ...stretch, toMs: stretch.toMs + run.recoverWithinMs });
  const isService = (of: string | undefined) => of !== undefined && processes.get(of)?.role === 'service';
  return new Disturbances(
    [
      ...faultsOf(events).flatMap(({ fault, toMs }) =>
        (fault.hits === 'all' ? [undefined] : fault.hits).map((of) => ({ of, fromMs: fault.atMs, toMs })),
      ),
      ...stallsOf(events).map((stall) => (isService(stall.of) ? { ...stall, of: undefined } : stall)),
      ...goneFrom(history),
    ].map(recover),
  );
}

/** When the wall clock of each process was set. */
export function clocksSetIn({ events }: History): Disturbances {
  const set = faultsOf(events).filter(({ fault }) => fault.kind === 'clock');
  return new Disturbances([
    ...set.map(({ fault, toMs }) => ({ of: fault.target, fromMs: fault.atMs, toMs })),
    ...events.flatMap((event) =>
      event.type === 'clock' ? [{ of: event.of, fromMs: event.atMs, toMs: event.atMs }] : [],
    ),
  ]);
}

/** When the item of each lock was deleted, by lock id. */
export function deletionsIn({ events }: History): Disturbances {
  const deletions = faultsOf(events).filter(({ fault }) => fault.kind === 'deletion');
  return new Disturbances(deletions.map(({ fault, toMs }) => ({ of: fault.target, fromMs: fault.atMs, toMs })));
}

function endOf({ kind }: Fault, toMs: number): number {
  return kind === 'kill' ? Number.POSITIVE_INFINITY : toMs;
}

function faultsOf(events: readonly HistoryEvent[]): { readonly fault: Fault; readonly toMs: number }[] {
  const ends = new Map<string, number>();
  for (const event of events) if (event.type === 'faultEnd') ends.set(event.fault, event.atMs);
  return events
    .filter((event) => event.type === 'fault')
    .map((fault) => ({ fault, toMs: ends.get(fault.fault) ?? Number.POSITIVE_INFINITY }));
}

function stallsOf(events: readonly HistoryEvent[]) {
  return events
    .filter((event) => event.type === 'stall')
    .map(({ process, fromMs, atMs }) => ({ of: process, fromMs, toMs: atMs }));
}

function goneFrom({ gone }: History) {
  return [...gone.values()].map((end) => ({ of: end.gone, fromMs: end.atMs, toMs: Number.POSITIVE_INFINITY }));
}

function merged(stretches: readonly Stretch[]): Stretch[] {
  const inOrder = [...stretches].sort((one, other) => one.fromMs - other.fromMs);
  const result: Stretch[] = [];
  for (const stretch of inOrder) {
    const last = result.at(-1);
    if (last && stretch.fromMs <= last.toMs) {
      result[result.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, stretch.toMs) };
    } else {
      result.push(stretch);
    }
  }
  return result;
}

// Stretches in order, apart from one another: the last that had begun.
function lastBegunBy(stretches: readonly Stretch[], atMs: number): Stretch | undefined {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((stretches[middle]?.fromMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return stretches[low - 1];
}
