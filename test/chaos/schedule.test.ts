import { scheduleOf } from './run/schedule.ts';

const seeds = Array.from({ length: 30 }, (_, seed) => seed);

describe('the schedule of a chaos run', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(scheduleOf(7, 60, false)).toEqual(scheduleOf(7, 60, false));
    expect(scheduleOf(7, 60, false)).not.toEqual(scheduleOf(8, 60, false));
  });

  it('ends every fault before the time is over', () => {
    for (const seed of seeds) {
      for (const { atMs, durationMs } of scheduleOf(seed, 20, false)) expect(atMs + durationMs).toBeLessThan(20_000);
    }
  });

  it('begins with one fault at a time', () => {
    for (const seed of seeds) {
      const [first, second] = scheduleOf(seed, 60, false);
      expect(second?.atMs).toBeGreaterThan((first?.atMs ?? 0) + (first?.durationMs ?? 0));
    }
  });

  it('mixes them later', () => {
    const mixed = scheduleOf(1, 120, false).filter(({ atMs, durationMs }, index, all) => {
      const next = all[index + 1];
      return next !== undefined && next.atMs < atMs + durationMs;
    });
    expect(mixed.length).toBeGreaterThan(5);
    expect(Math.min(...mixed.map(({ atMs }) => atMs))).toBeGreaterThan(40_000);
  });

  it('has every kind of fault within two minutes', () => {
    const kinds = new Set(scheduleOf(1, 120, false).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      'black-hole',
      'block-worker',
      'delay',
      'drop-reply',
      'drop-request',
      'duplicate',
      'error',
      'error-after',
      'freeze-api',
      'freeze-worker',
      'kill-api',
      'kill-api-mid-request',
      'kill-worker',
      'mute',
      'partition',
      'restart-database',
      'stale-read',
      'step-clock',
      'throttle',
    ]);
  });

  it.each([
    [false, 240],
    [true, 2_500],
  ])('sets no clock further off than it may (beyond the margin: %s)', (isBeyondMargin, atMostMs) => {
    const offsets = seeds.flatMap((seed) =>
      scheduleOf(seed, 60, isBeyondMargin).flatMap((plan) => (plan.kind === 'step-clock' ? plan.clockOffsetMs : [])),
    );
    expect(offsets.length).toBeGreaterThan(10);
    expect(Math.max(...offsets.map(Math.abs))).toBeLessThanOrEqual(atMostMs);
    expect(Math.max(...offsets.map(Math.abs))).toBeGreaterThan(atMostMs / 2);
  });
});
