import type { Checker, Finding } from '../finding.ts';
import { byLock } from '../grouping.ts';
import type { Hold } from '../hold.ts';
import { withHighestBefore } from '../real-time.ts';

const rule = 'fences';

/** Every grant has a greater fencing token than each that was answered before it was asked for. */
export const fences: Checker = {
  rule,
  promise: 'every grant has a greater fencing token than every earlier one of its lock',
  needsClocks: false,
  check({ holds }) {
    const findings = [...byLock(holds.values()).values()].flatMap((ofLock) => [...shared(ofLock), ...falling(ofLock)]);
    return { checked: holds.size, findings };
  },
};

function shared(holds: readonly Hold[]): Finding[] {
  const first = new Map<number, Hold>();
  return holds.flatMap((hold) => {
    const other = first.get(hold.fencingToken);
    if (!other) first.set(hold.fencingToken, hold);
    return other ? [finding(other, hold, `${other.id} and ${hold.id} have the same fencing token`)] : [];
  });
}

function falling(holds: readonly Hold[]): Finding[] {
  const grants = holds.map((hold) => ({
    hold,
    fromMs: hold.acquisition.invokedMs,
    byMs: hold.grantedMs,
    number: hold.fencingToken,
  }));
  return withHighestBefore(grants)
    .filter(({ before, thing }) => before.number > thing.number)
    .map(({ before, thing }) =>
      finding(before.hold, thing.hold, `${thing.hold.id} was asked for after the grant of ${before.hold.id}`),
    );
}

function finding(one: Hold, other: Hold, what: string): Finding {
  const message = `${what}: fencing tokens ${one.fencingToken} and ${other.fencingToken}`;
  const events = [one.granted, other.acquisition.invoke, other.granted];
  return { rule, lockId: one.lockId, message, events };
}
