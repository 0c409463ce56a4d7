import { fault, gone, grant, historyOf, invoke, mark, ok, type Told } from '../told.ts';
import { liveness } from './liveness.ts';

const check = (...parts: Told[]) => liveness.check(historyOf(...parts));
const messages = (...parts: Told[]) => check(...parts).findings.map((each) => each.message);

describe('liveness', () => {
  const healed = mark('healed', 5_000);
  const end = mark('end', 50_000);

  it('says nothing about a run that was never healed', () => {
    expect(check(grant('w1.1', [0, 40_000], 1), end)).toEqual({ checked: 0, findings: [] });
  });

  it('accepts what ends in time after the last fault, or after it began, and finds what does not', () => {
    expect(messages(healed, grant('w1.1', [0, 15_000], 1), end)).toEqual([]);
    expect(messages(healed, grant('w1.1', [0, 15_001], 1), end)).toEqual(['lock w1.1 ended 1 ms too late']);
    expect(messages(healed, grant('w1.1', [8_000, 18_000], 1), end)).toEqual([]);
    expect(messages(healed, grant('w1.1', [8_000, 18_001], 1), end)).toHaveLength(1);
  });

  it('finds what never ended, unless its process was killed or the history ends before', () => {
    const begun = invoke('w1.1', 'lock', 6_000, { leaseMs: 2_000 });
    expect(messages(healed, begun, end)).toEqual(['lock w1.1 never ended, and its process was not killed']);
    expect(messages(healed, begun, gone('w1', 4_000), end)).toEqual([]);
    expect(messages(healed, begun, gone('w1', 20_000, 'exited'), end)).toHaveLength(1);
    expect(messages(healed, begun, mark('healed', 16_000))).toEqual([]);
  });

  it('asks nothing of what ended before the last fault', () => {
    expect(check(healed, grant('w1.1', [0, 4_999], 1), end).checked).toBe(0);
  });

  it('finds a timed tryLock that gives up early, at any time, unless its clock was set', () => {
    const asked = invoke('w1.1', 'timedTryLock', 10, { leaseMs: 2_000, waitMs: 4_000 });
    const inVain = (atMs: number) => ok('w1.1', 'timedTryLock', atMs, { granted: false });
    expect(messages(asked, inVain(20))).toEqual(['timedTryLock w1.1 gave up after 10 of 4000 ms']);
    expect(messages(asked, inVain(3_909))).toHaveLength(1);
    expect(messages(asked, inVain(3_910))).toEqual([]);
    expect(messages(asked, fault('clock', 'w1', [15, 16]), inVain(20))).toEqual([]);
    expect(messages(asked, fault('clock', 'w2', [15, 16]), inVain(20))).toHaveLength(1);
    expect(messages(grant('w1.1', [10, 20], 1, { operation: 'timedTryLock' }))).toEqual([]);
  });

  it('measures the longest operation after the last fault', () => {
    expect(check(healed, grant('w1.1', [0, 7_500], 1), end).figures?.[0]?.value).toBe('2500 ms');
  });
});
