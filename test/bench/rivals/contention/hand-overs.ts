import type { Hold } from './hold.ts';

/** How a lock went from one hold to the next. */
export interface HandOvers {
  /** To another contender, from the one's release() returning to the other's lock() returning, milliseconds. */
  readonly fromReleasedMs: readonly number[];
  /** The same from the one's calling release(). */
  readonly fromAskedMs: readonly number[];
  /** How often another got it who had not asked yet when it was released: nobody was handed anything. */
  readonly foundFree: number;
  /** How often whoever released got it again before anybody else did. */
  readonly regrabs: number;
  /** How many holds began before every earlier one's release was called: two holders at once. */
  readonly overlaps: number;
}

export function handOversOf(holds: readonly Hold[]): HandOvers {
  const inTurn = holds.toSorted((one, other) => one.grantedMs - other.grantedMs);
  const fromReleasedMs: number[] = [];
  const fromAskedMs: number[] = [];
  let foundFree = 0;
  let regrabs = 0;
  let overlaps = 0;
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  for (const [at, hold] of inTurn.entries()) {
    if (hold.grantedMs < heldUntilMs) overlaps++;
    heldUntilMs = Math.max(heldUntilMs, hold.releaseAskedMs);
    const before = inTurn[at - 1];
    if (!before) continue;
    if (before.contender === hold.contender) {
      regrabs++;
      continue;
    }
    if (hold.askedMs >= before.releasedMs) {
      foundFree++;
      continue;
    }
    fromReleasedMs.push(hold.grantedMs - before.releasedMs);
    fromAskedMs.push(hold.grantedMs - before.releaseAskedMs);
  }
  return { fromReleasedMs, fromAskedMs, foundFree, regrabs, overlaps };
}
