import { summaryOf } from '../../bench/rivals/contention/contention-summary.ts';
import type { Hold } from '../../bench/rivals/contention/hold.ts';

const hold = (contender: number, askedMs: number, grantedMs: number, releaseAskedMs = grantedMs + 10): Hold => ({
  contender,
  askedMs,
  grantedMs,
  releaseAskedMs,
  releasedMs: releaseAskedMs + 2,
});
const run = (holds: readonly Hold[]) => ({
  lockId: 'a',
  holds,
  waiting: [{ contender: 3, askedMs: 1_700 }],
  failed: 0,
  errors: [],
  fromMs: 1_000,
  untilMs: 2_000,
});

describe('the summary of a run of contenders', () => {
  it('counts grants and hand-overs from when it had got going', () => {
    const summary = summaryOf(run([hold(1, 0, 900), hold(2, 800, 1_000), hold(1, 912, 1_020)]), 2);
    expect(summary).toMatchObject({ grants: 2, grantsPerSecond: 2, handOvers: 1, handOverP50Ms: 8 });
  });

  it('measures hand-overs from the end of release() and from its call', () => {
    const summary = summaryOf(run([hold(1, 0, 1_000), hold(2, 900, 1_020), hold(1, 1_015, 1_060)]), 2);
    expect(summary).toMatchObject({
      handOverP50Ms: (8 + 28) / 2,
      handOverLongestMs: 28,
      handOverFromAskedP50Ms: (10 + 30) / 2,
      handOverFromAskedLongestMs: 30,
    });
  });

  it('knows a p99 from 100 hand-overs on', () => {
    const turns = (count: number) => Array.from({ length: count + 1 }, (_, at) => hold(at % 2, 0, 1_000 + at * 20));
    expect(summaryOf(run(turns(100)), 2)).toMatchObject({ handOverP99Ms: 8, handOverFromAskedP99Ms: 10 });
    const fewer = summaryOf(run(turns(99)), 2);
    expect([fewer.handOverP99Ms, fewer.handOverFromAskedP99Ms]).toEqual([Number.NaN, Number.NaN]);
    expect(fewer.handOverLongestMs).toBe(8);
  });

  it('of nobody who waited and got it has no hand-over', () => {
    const { handOvers, handOverP50Ms, handOverLongestMs } = summaryOf(run([hold(1, 1_000, 1_100)]), 2);
    expect([handOvers, handOverP50Ms, handOverLongestMs]).toEqual([0, Number.NaN, Number.NaN]);
  });

  it('shows two holders at once from the very beginning', () => {
    const summary = summaryOf(run([hold(1, 0, 100), hold(2, 0, 105)]), 2);
    expect(summary).toMatchObject({ grants: 0, overlaps: 1 });
  });

  it('counts the wait of those who never got it', () => {
    expect(summaryOf(run([hold(1, 1_400, 1_500)]), 3).longestWaitMs).toBe(300);
    expect(summaryOf(run([hold(1, 1_000, 1_500)]), 3).longestWaitMs).toBe(500);
  });
});
