import type { Checker, Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import { boundsOf, type Hold, usedUntilMs } from '../hold.ts';

const rule = 'exclusion';

/** No two workers are between their grant and the moment at which they give up the lock, by their own count. */
export const exclusion: Checker = {
  rule,
  promise: 'at most one worker counts on holding a lock at a time',
  needsClocks: true,
  check({ holds }) {
    return { checked: holds.size, findings: [...byLock(holds.values()).values()].flatMap(overlapping) };
  },
};

// Holds come in the order in which they were granted: one that overlaps with any before overlaps with that which lasts longest.
function overlapping(holds: readonly Hold[]): Finding[] {
  const findings: Finding[] = [];
  let longest: { readonly hold: Hold; readonly untilMs: number } | undefined;
  for (const hold of holds) {
    const untilMs = usedUntilMs(hold);
    const togetherMs = Math.min(longest?.untilMs ?? hold.grantedMs, untilMs) - hold.grantedMs;
    if (longest && togetherMs > 0) findings.push(finding(longest.hold, hold, togetherMs));
    if (!longest || untilMs > longest.untilMs) longest = { hold, untilMs };
  }
  return findings;
}

function finding(one: Hold, other: Hold, togetherMs: number): Finding {
  const message = `${one.id} (fencing token ${one.fencingToken}) and ${other.id} (fencing token ${other.fencingToken}) both held the lock for ${togetherMs.toFixed(1)} ms`;
  return { rule, lockId: one.lockId, message, events: [...boundsOf(one), ...boundsOf(other)] };
}
