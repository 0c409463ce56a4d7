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
export function earliestDeadlineMs(hold: Hold): number {
  return knownEarliestDeadlineMs(hold, Number.POSITIVE_INFINITY);
}

/** The same by what it had learned by a moment. */
export function knownEarliestDeadlineMs({ terms }: Hold, byMs: number): number {
  return terms.reduce(
    (latest, { seen, earliestMs }) => (seen.atMs > byMs ? latest : Math.max(latest, earliestMs)),
    Number.NEGATIVE_INFINITY,
  );
}

/** Until when its worker counted on it at the most. Looks only show what was known. */
export function latestDeadlineMs(hold: Hold): number {
  return knownDeadlineMs(hold, Number.POSITIVE_INFINITY);
}

/** The same by what it had learned by a moment. */
export function knownDeadlineMs({ terms }: Hold, byMs: number): number {
  return terms.reduce(
    (latest, { seen, latestMs }) => (seen.type === 'look' || seen.atMs > byMs ? latest : Math.max(latest, latestMs)),
    Number.NEGATIVE_INFINITY,
  );
}

/**
 * At this moment or later the service said that the lock is this hold's: its worker counts each term from before it sent the
 * request that gave it, so at that term's deadline less a whole lease it had not been sent yet.
 */
export function confirmedMs(hold: Hold): number {
  return earliestDeadlineMs(hold) - leaseMsOf(hold);
}

/** The term by which {@link confirmedMs} is known. */
export function confirmation({ terms }: Hold): Term | undefined {
  return terms.reduce<Term | undefined>(
    (best, term) => (best && best.earliestMs >= term.earliestMs ? best : term),
    undefined,
  );
}

function leaseMsOf({ acquisition: { invoke } }: Hold): number {
  return 'leaseMs' in invoke.arguments ? invoke.arguments.leaseMs : 0;
}

/** Until when its worker may have been in the critical section: it gave the lock back, knew it lost, or had no time left. */
export function usedUntilMs(hold: Hold): number {
  const released = hold.releases[0]?.invokedMs ?? Number.POSITIVE_INFINITY;
  const lost = hold.lost?.atMs ?? Number.POSITIVE_INFINITY;
  // A break that may have been none, or came to nothing, ends no hold that was renewed after it.
  const broken = Math.max(brokenMs(hold), confirmedMs(hold));
  return Math.min(released, lost, broken, earliestDeadlineMs(hold));
}

/**
 * Before when the lock cannot have gone to another while clocks agree: the holder gave it back, an administrator took it,
 * or its lease ended. That its worker learned of a loss is no reason, except where it then gives the lock back by itself;
 * and as long as the service renews it, nothing of all that has happened.
 */
export function endsNotBeforeMs(hold: Hold): number {
  const released = hold.releases.find(mayHaveHappened)?.invokedMs ?? Number.POSITIVE_INFINITY;
  const givesBack = hold.lost?.reason === 'max-hold' || hold.lost?.reason === 'disposed';
  const givenBack = givesBack && hold.lost ? hold.lost.atMs : Number.POSITIVE_INFINITY;
  return Math.max(confirmedMs(hold), Math.min(released, brokenMs(hold), givenBack, earliestDeadlineMs(hold)));
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
