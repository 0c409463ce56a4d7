import { timerMs } from '../../../sdk/pause.ts';

describe('the time of a timer', () => {
  it.each([
    ['as it is', 1_000, 1_000],
    ['nothing where the time is over already', -24, 0],
    ['24.8 days at most', 2 ** 31, 2 ** 31 - 1],
    ['24.8 days where there is no end', Number.POSITIVE_INFINITY, 2 ** 31 - 1],
  ])('is %s', (_, ms, expected) => {
    expect(timerMs(ms)).toBe(expected);
  });
});
