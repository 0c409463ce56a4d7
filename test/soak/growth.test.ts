import { growthOf } from './growth.ts';

const allowed = { share: 0.1, absolute: 2 };
const steps = (count: number, from: number, by: number) => Array.from({ length: count }, (_, at) => from + at * by);

describe('growth', () => {
  it('compares the first third after warming up with the last third', () => {
    const samples = [900, ...steps(3, 10, 0), ...steps(3, 50, 0), ...steps(3, 11, 0)];
    expect(growthOf(samples, allowed)).toEqual({ early: 10, late: 11, highest: 900, isFlat: true });
  });

  it('is flat up to the absolute allowance, and not above', () => {
    expect(growthOf([10, 10, 10, 12], allowed).isFlat).toBe(true);
    expect(growthOf([10, 10, 10, 12.01], allowed).isFlat).toBe(false);
  });

  it('is flat up to the share of a large figure, and not above', () => {
    expect(growthOf([100, 100, 100, 110], allowed).isFlat).toBe(true);
    expect(growthOf([100, 100, 100, 110.1], allowed).isFlat).toBe(false);
  });

  it('finds a leak of one in each sample', () => {
    expect(growthOf(steps(240, 20, 1), allowed).isFlat).toBe(false);
  });

  it('shrinking is flat', () => {
    expect(growthOf(steps(30, 100, -1), allowed).isFlat).toBe(true);
  });
});
