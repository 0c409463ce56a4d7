import { foundSkew } from '../../deployed/checks/clocks.ts';

const prefix = 'the answers’ clock less this host’s, by 2 answers of whole seconds:';

it.each([
  [-600, 348],
  [500, 1_400],
  [-1_400, -500],
  [-100, 100],
])(
  'clocks whose difference is something from %i to %i ms may agree, and it is said that this is a range',
  (least, most) => {
    const offsets = [
      { leastMs: least - 300, mostMs: most },
      { leastMs: least, mostMs: most + 300 },
    ];
    expect(foundSkew('this host’s', offsets)).toEqual({
      result: 'ok',
      got: `${prefix} their difference is something from ${least} to ${most} ms, so it may well be within 500`,
    });
  },
);

it.each([
  [501, 1_400],
  [-1_400, -501],
])('clocks whose difference is something from %i to %i ms do not agree', (leastMs, mostMs) => {
  const offsets = [
    { leastMs, mostMs },
    { leastMs, mostMs },
  ];
  expect(foundSkew('this host’s', offsets)).toEqual({
    result: 'FAILED',
    got: `${prefix} their difference is something from ${leastMs} to ${mostMs} ms, so it is beyond 500 whatever the fraction`,
  });
});

it('answers that allow nothing in common show clocks that disagree among themselves', () => {
  const offsets = [
    { leastMs: -900, mostMs: -100 },
    { leastMs: 200, mostMs: 1_100 },
  ];
  expect(foundSkew('this host’s', offsets)).toMatchObject({
    got: expect.stringContaining('their difference changes, from -100 or less to 200 ms or more'),
  });
});
