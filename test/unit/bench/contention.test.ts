import { fairnessOf, jainIndex } from '../../bench/rivals/contention/fairness.ts';
import { handOversOf } from '../../bench/rivals/contention/hand-overs.ts';
import type { Hold } from '../../bench/rivals/contention/hold.ts';
import { overtakings } from '../../bench/rivals/contention/overtakings.ts';
import { passedInLine } from '../../bench/rivals/contention/passed-in-line.ts';

const hold = (contender: number, askedMs: number, grantedMs: number, releaseAskedMs = grantedMs + 10): Hold => ({
  contender,
  askedMs,
  grantedMs,
  releaseAskedMs,
  releasedMs: releaseAskedMs + 2,
});

describe('hand-overs', () => {
  it('last from the release of one contender to the grant of another, in the order of the grants', () => {
    const { fromReleasedMs, fromAskedMs } = handOversOf([hold(2, 0, 120), hold(1, 0, 100), hold(3, 0, 145)]);
    expect(fromReleasedMs).toEqual([8, 13]);
    expect(fromAskedMs).toEqual([10, 15]);
  });

  it('leave out, and count apart, that a contender gets it again at once', () => {
    const { fromReleasedMs, regrabs } = handOversOf([hold(1, 0, 100), hold(1, 112, 115), hold(2, 0, 140)]);
    expect(regrabs).toBe(1);
    expect(fromReleasedMs).toEqual([13]);
  });

  it('are none where the next asked only when the lock was free', () => {
    const { fromReleasedMs, foundFree } = handOversOf([hold(1, 0, 100), hold(2, 112, 115), hold(3, 126, 140)]);
    expect(foundFree).toBe(1);
    expect(fromReleasedMs).toEqual([13]);
  });

  it('are no overlap where the next has it before the release was answered', () => {
    expect(handOversOf([hold(1, 0, 100), hold(2, 0, 111)])).toMatchObject({ overlaps: 0, fromReleasedMs: [-1] });
  });

  it('show two holders at once, also where a shorter hold lies between', () => {
    const long = hold(1, 0, 100, 200);
    expect(handOversOf([long, hold(2, 0, 150)]).overlaps).toBe(1);
    expect(handOversOf([long, hold(2, 0, 110, 120), hold(3, 0, 150)]).overlaps).toBe(2);
    expect(handOversOf([long, hold(2, 0, 200)]).overlaps).toBe(0);
  });

  it('of no or one hold are none', () => {
    for (const holds of [[], [hold(1, 0, 1)]]) {
      expect(handOversOf(holds)).toEqual({
        fromReleasedMs: [],
        fromAskedMs: [],
        foundFree: 0,
        regrabs: 0,
        overlaps: 0,
      });
    }
  });
});

describe('fairness', () => {
  it('is 1 where all have the same, and 1/n where one has everything', () => {
    expect(jainIndex([5, 5, 5])).toBe(1);
    expect(jainIndex([9, 0, 0])).toBeCloseTo(1 / 3);
    expect(jainIndex([1, 3])).toBeCloseTo(0.8);
    expect(jainIndex([0, 0])).toBeNaN();
  });

  const granted = (contenders: readonly number[]) => contenders.map((contender, at) => hold(contender, 0, at * 20));
  const rounds = (...contenders: number[]) => Array.from({ length: 5 }, () => contenders).flat();

  it('counts whole rounds only, in the order of the grants', () => {
    expect(fairnessOf(granted([...rounds(1, 2), 1]).toReversed(), 2)).toBe(1);
    expect(fairnessOf(granted([...rounds(1, 2), 1, 1]), 2)).toBeLessThan(1);
  });

  it('counts those who never got it', () => {
    expect(fairnessOf(granted(rounds(1, 1, 1)), 3)).toBeCloseTo(1 / 3);
  });

  it('is unknown before everybody could have had some turns', () => {
    expect(fairnessOf(granted([1, 2, 1, 2, 1, 2, 1, 2, 1]), 2)).toBeNaN();
  });
});

describe('overtakings', () => {
  it('are grants that went past somebody who had asked earlier', () => {
    expect(overtakings([hold(1, 0, 300), hold(2, 100, 200)], [], 50)).toBe(1);
    expect(overtakings([hold(1, 0, 200), hold(2, 100, 300)], [], 50)).toBe(0);
  });

  it('are not known of two who asked within the margin of each other', () => {
    const holds = [hold(1, 0, 300), hold(2, 100, 200)];
    expect(overtakings(holds, [], 100)).toBe(0);
    expect(overtakings(holds, [], 99)).toBe(1);
  });

  it('count each grant once, however many it went past', () => {
    expect(overtakings([hold(1, 0, 400), hold(2, 10, 500), hold(3, 200, 300)], [], 50)).toBe(1);
  });

  it('went past those, too, who never got it', () => {
    expect(overtakings([hold(2, 100, 200)], [{ contender: 1, askedMs: 0 }], 50)).toBe(1);
    expect(overtakings([hold(2, 100, 200)], [{ contender: 1, askedMs: 60 }], 50)).toBe(0);
  });
});

describe('passing others in a stored line', () => {
  it('is leaving it from behind somebody who stays', () => {
    expect(
      passedInLine([
        ['a', 'b', 'c'],
        ['a', 'c'],
      ]),
    ).toBe(1);
    expect(passedInLine([['a', 'b', 'c'], ['b']])).toBe(1);
    expect(passedInLine([['a', 'b', 'c'], ['a']])).toBe(2);
  });

  it('is not leaving it from the front, nor joining it', () => {
    expect(passedInLine([['a', 'b', 'c'], ['b', 'c', 'd'], ['d', 'e'], [], ['f']])).toBe(0);
  });

  it('is not known where all have left between two looks', () => {
    expect(passedInLine([['a', 'b'], ['c']])).toBe(0);
    expect(passedInLine([['a', 'b']])).toBe(0);
  });
});
