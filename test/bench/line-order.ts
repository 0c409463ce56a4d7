import type { LockItem } from '../../lambda/service/lock-item.ts';

/** What the table showed of the line, over a run. */
export interface LineOrder {
  /** How many pairs of waiters were seen in line, one before the other, of which the later got the lock. */
  readonly pairs: number;
  /** Of them, those whose later one got the lock first. */
  readonly violations: number;
  /** Grants that no waiter took up in time. */
  readonly unconfirmed: number;
}

/**
 * Compares the order in which the lock was granted with the lines that the table showed.
 *
 * @param items one for each hold, looked at while it was held, in the order of their fencing tokens
 */
export function lineOrder(items: readonly LockItem[]): LineOrder {
  const fences = new Map(items.map(({ owner = '', fence }) => [owner, fence]));
  const lastFence = items.at(-1)?.fence ?? 0;
  const unconfirmed = items.length > 0 ? lastFence - (items[0]?.fence ?? 0) + 1 - items.length : 0;
  const seen = new Set<string>();
  const passedOver = new Set<string>();
  let violations = 0;
  for (const { queue } of items) {
    for (const [at, later] of queue.entries()) {
      const laterFence = fences.get(later);
      if (laterFence === undefined) continue;
      for (const earlier of queue.slice(0, at)) {
        const pair = `${earlier} ${later}`;
        if (seen.has(pair)) continue;
        seen.add(pair);
        const earlierFence = fences.get(earlier);
        if (earlierFence === undefined) passedOver.add(earlier);
        else if (earlierFence > laterFence) violations++;
      }
    }
  }
  // Whoever never got it may have been granted it and been too late: that left a gap in the fencing tokens.
  return { pairs: seen.size, violations: violations + Math.max(0, passedOver.size - unconfirmed), unconfirmed };
}
