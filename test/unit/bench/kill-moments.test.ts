import { killAtMs, killParts } from '../../bench/rivals/workloads/kill-moments.ts';
import { seededRandom } from '../../support/seeded-random.ts';

describe('the moments at which holders are killed', () => {
  it('lie one in each stretch of the time between two renewals, and are the same for the same seed', () => {
    const parts = killParts(3, seededRandom(7));
    expect(parts.map((part) => Math.floor(part * 3))).toEqual([0, 1, 2]);
    expect(killParts(3, seededRandom(7))).toEqual(parts);
    expect(killParts(3, seededRandom(8))).not.toEqual(parts);
  });

  it.each([
    [1_000, 0.25],
    [300, 0.25],
    [250, 0.9],
    [1_000, 0],
  ])('are at that part of a period of %j ms, in the first one that is not too early', (periodMs, part) => {
    const held = { grantedMs: 5_000, periodMs };
    const atMs = killAtMs(held, part, 6_700);
    expect(((atMs - 5_000) / periodMs) % 1).toBeCloseTo(part);
    expect(atMs).toBeGreaterThanOrEqual(6_700);
    expect(atMs).toBeLessThan(6_700 + periodMs);
  });

  it('are never before the lock was granted', () => {
    expect(killAtMs({ grantedMs: 5_000, periodMs: 1_000 }, 0.5, 1_000)).toBe(5_500);
  });
});
