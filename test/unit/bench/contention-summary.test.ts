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

  it('shows two holders at once from the very beginning', () => {
    const summary = summaryOf(run([hold(1, 0, 100), hold(2, 0, 105)]), 2);
    expect(summary).toMatchObject({ grants: 0, overlaps: 1 });
  });

  it('counts the wait of those who never got it', () => {
    expect(summaryOf(run([hold(1, 1_400, 1_500)]), 3).longestWaitMs).toBe(300);
    expect(summaryOf(run([hold(1, 1_000, 1_500)]), 3).longestWaitMs).toBe(500);
  });
});
