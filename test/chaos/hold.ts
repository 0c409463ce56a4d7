import type { HistoryEvent, Look, Lost, Ok, Renewed } from './history.ts';
import { mayHaveHappened, type OperationRecord } from './operation-record.ts';
import type { Remaining } from './operations.ts';

/** One period of holding one lock, from what its worker saw. */
export interface Hold {
  /** The id of the operation that acquired it. */
  readonly id: string;
  readonly lockId: string;
  readonly process: string;
  readonly fencingToken: number;
  readonly acquisition: OperationRecord;
  readonly granted: Ok;
  readonly grantedMs: number;
  /** What its worker learned of the deadline, in order: the grant, renewals, looks. */
  readonly terms: readonly Term[];
  readonly looks: readonly Look[];
  readonly releases: readonly OperationRecord[];
  /** Breaks that named its fencing token and did not fail. */
  readonly breaks: readonly OperationRecord[];
  readonly lost: Lost | undefined;
}

/** Between which moments the deadline lay, as it was seen at one. */
export interface Term {
  readonly seen: Ok | Renewed | Look;
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** What a look at `remainingMs`, a whole number, says of the deadline. */
export function termOf(seen: Term['seen'], { remainingMs, lookedAtMs }: Remaining): Term {
  return { seen, earliestMs: lookedAtMs + remainingMs, latestMs: seen.atMs + remainingMs + 1 };
}

/** Until when its worker counted on it at the least, unless it ended sooner. */
export function earliestDeadlineMs({ terms }: Hold): number {
  return terms.reduce((latest, { earliestMs }) => Math.max(latest, earliestMs), Number.NEGATIVE_INFINITY);
}

/** Until when its worker counted on it at the most. Looks only show what was known. */
export function latestDeadlineMs({ terms }: Hold): number {
  return terms.reduce(
    (latest, { seen, latestMs }) => (seen.type === 'look' ? latest : Math.max(latest, latestMs)),
    Number.NEGATIVE_INFINITY,
  );
}

/** Until when its worker may have been in the critical section: it gave the lock back, knew it lost, or had no time left. */
export function usedUntilMs(hold: Hold): number {
  const released = hold.releases[0]?.invokedMs ?? Number.POSITIVE_INFINITY;
  const lost = hold.lost?.atMs ?? Number.POSITIVE_INFINITY;
  return Math.min(released, lost, brokenMs(hold), earliestDeadlineMs(hold));
}

/**
 * Before when the lock cannot have gone to another while clocks agree: the holder gave it back, an administrator took it,
 * or its lease ended. That its worker learned of a loss is no reason, except where it then gives the lock back by itself.
 */
export function endsNotBeforeMs(hold: Hold): number {
  const released = hold.releases.find(mayHaveHappened)?.invokedMs ?? Number.POSITIVE_INFINITY;
  const givesBack = hold.lost?.reason === 'max-hold' || hold.lost?.reason === 'disposed';
  const givenBack = givesBack && hold.lost ? hold.lost.atMs : Number.POSITIVE_INFINITY;
  return Math.min(released, brokenMs(hold), givenBack, earliestDeadlineMs(hold));
}

/** When an administrator may first have taken it; Infinity: never. */
export function brokenMs({ breaks }: Hold): number {
  return breaks[0]?.invokedMs ?? Number.POSITIVE_INFINITY;
}

/** The grant, and what ended it, as far as it is known. */
export function boundsOf(hold: Hold): HistoryEvent[] {
  const ends = [hold.breaks[0]?.invoke, hold.lost, hold.releases[0]?.invoke, hold.releases[0]?.end];
  return [hold.acquisition.invoke, hold.granted, ...ends.filter((event) => event !== undefined)];
}
