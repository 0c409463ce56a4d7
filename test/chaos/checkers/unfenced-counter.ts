import type { Checker } from '../finding.ts';

/** What a counter without fencing lost beside the register that has it: a figure that says what fencing is for. */
export const unfencedCounter: Checker = {
  rule: 'unfenced counter',
  promise: 'nothing is promised: how much a resource loses that does not check fencing tokens',
  needsClocks: false,
  check({ operations, events }) {
    const counters = events.filter((event) => event.type === 'counter');
    const shownByLock = new Map(counters.map(({ lockId, value }) => [lockId, value]));
    let acknowledged = 0;
    for (const { end, lockId } of operations.values()) {
      if (end?.type === 'ok' && end.operation === 'unfencedAdd' && shownByLock.has(lockId)) acknowledged++;
    }
    const shown = [...shownByLock.values()].reduce((sum, value) => sum + value, 0);
    const lost = Math.max(0, acknowledged - shown);
    const share = acknowledged === 0 ? 0 : (100 * lost) / acknowledged;
    const value = `${lost} of ${acknowledged} acknowledged additions (${share.toFixed(2)} %)`;
    return { checked: acknowledged, findings: [], figures: [{ name: 'lost by the unfenced counter', value }] };
  },
};
