import { isLongAtRest, isWellFormed } from './lock-item.ts';
import type { LockStore } from './lock-store.ts';
import { defaultTiming } from './timing.ts';

/** The least time at rest after which an item may go: the same as its time to live gives it, milliseconds. */
export const leastRestMs = defaultTiming.retentionMs;

// Small, so that little is done again where a sweep is stopped, and progress shows.
const pageLimit = 100;

/** What became of one page of the table. */
export interface SweptPage {
  /** How many items were looked at. */
  readonly examined: number;
  /** The locks whose items went; of a dry run, would go. */
  readonly removed: readonly string[];
  /** The locks that somebody used between the look and the removal: their items stay. */
  readonly usedAgain: readonly string[];
  /** What is no item of a lock, by the lock id that it has: it stays, whatever it is. */
  readonly leftAlone: readonly string[];
}

/**
 * Removes the items of locks that nobody has held or waited for since long ago, for tables that have no time to live.
 *
 * Each goes by one conditional write that proves that it still is as it was seen, so locks may be used meanwhile. One
 * after the other: a partition takes about 1,000 write units a second, and those are for the locks in use.
 *
 * @param now the clock by which rests are measured, asked after each page was read, epoch milliseconds
 * @param olderThanMs how long a lock must have been at rest, at least {@link leastRestMs}
 * @throws RangeError for less
 */
export async function* sweep(
  store: Pick<LockStore, 'list' | 'remove'>,
  { now, olderThanMs, dryRun = false }: { now: () => number; olderThanMs: number; dryRun?: boolean },
): AsyncGenerator<SweptPage, void> {
  if (!(olderThanMs >= leastRestMs)) {
    throw new RangeError(
      `locks must have been at rest for ${leastRestMs} ms before they are removed, got ${olderThanMs}`,
    );
  }
  let after: string | undefined;
  do {
    const { items, next } = await store.list({ prefix: '', state: 'all', cut: 0, limit: pageLimit, after });
    const before = now() - olderThanMs;
    // The item's own ttl is its retention behind the end of the lease, or its release.
    const ttl = Math.floor((before + leastRestMs) / 1_000);
    const removed: string[] = [];
    const usedAgain: string[] = [];
    const leftAlone: string[] = [];
    for (const item of items) {
      const { lockId, rev, fence } = item;
      if (!isWellFormed(item)) {
        leftAlone.push(String(lockId));
        continue;
      }
      if (!isLongAtRest(item, { before, ttl })) continue;
      const result = dryRun ? undefined : await store.remove({ lockId, rev, fence, before, ttl });
      // Gone is gone: an earlier try of this removal, whose reply was lost, did it, or somebody else.
      const isGone = result === undefined || result.written || result.item === undefined;
      (isGone ? removed : usedAgain).push(lockId);
    }
    yield { examined: items.length, removed, usedAgain, leftAlone };
    after = next;
  } while (after !== undefined);
}
