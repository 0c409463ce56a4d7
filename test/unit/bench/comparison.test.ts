import { inShuffledOrder, shuffled } from '../../bench/rivals/shuffle.ts';
import { ratioOf, shownSpread, spreadOf, times } from '../../bench/rivals/spread.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const ten = Array.from({ length: 10 }, (_, at) => at);

describe('the order of what is compared', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(shuffled(ten, seededRandom(1))).toEqual(shuffled(ten, seededRandom(1)));
    expect(shuffled(ten, seededRandom(1))).not.toEqual(shuffled(ten, seededRandom(2)));
  });

  it('has each once, and leaves the list as it was', () => {
    const list = [...ten];
    expect(shuffled(list, seededRandom(3)).sort()).toEqual(ten);
    expect(list).toEqual(ten);
  });

  it('puts each in each place about equally often', () => {
    const random = seededRandom(4);
    const counts = new Map<string, number>();
    for (let time = 0; time < 6_000; time++) {
      const order = shuffled(['a', 'b', 'c'], random).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
    // Of 1,000 expected each, so many are seven standard deviations away.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });
});

describe('what is done in an order that chance gives', () => {
  const doneIn = async (seed: number) => {
    const order: number[] = [];
    const results = await inShuffledOrder(ten, seededRandom(seed), async (item) => {
      order.push(item);
      return item * 2;
    });
    return { order, results };
  };

  it('is done once with each, in the order of the seed', async () => {
    const { order } = await doneIn(5);
    expect(order).not.toEqual(ten);
    expect(order.toSorted((one, other) => one - other)).toEqual(ten);
    expect((await doneIn(5)).order).toEqual(order);
    expect((await doneIn(6)).order).not.toEqual(order);
  });

  it('gives its results in the order of the list', async () => {
    expect((await doneIn(5)).results).toEqual(ten.map((item) => item * 2));
  });

  it('is done one after the other', async () => {
    let [now, most] = [0, 0];
    await inShuffledOrder(ten, seededRandom(5), async () => {
      most = Math.max(most, ++now);
      await null;
      now--;
    });
    expect(most).toBe(1);
  });
});

describe('a spread', () => {
  it('is the middle one of the repetitions, and how far they go', () => {
    expect(spreadOf([5, 1, 3])).toEqual({ median: 3, low: 1, high: 5 });
  });

  it('of an even number of them has the mean of the two in the middle', () => {
    expect(spreadOf([4, 1])).toEqual({ median: 2.5, low: 1, high: 4 });
  });

  it('of nothing is refused', () => {
    expect(() => spreadOf([])).toThrow(RangeError);
  });

  it('is shown with its ends where it has two', () => {
    expect(shownSpread(spreadOf([1, 2, 3]), times)).toBe('2.00 × (1.00 × to 3.00 ×)');
    expect(shownSpread(spreadOf([2]), times)).toBe('2.00 ×');
  });

  it('of ratios compares what was measured in the same repetition', () => {
    expect(ratioOf([2, 8, 9], [1, 4, 3])).toEqual({ median: 2, low: 2, high: 3 });
  });
});
