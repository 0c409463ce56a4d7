import type { ContentionCost } from '../../bench/rivals/contention/counted-contention.ts';
import { equalPace } from '../../bench/rivals/contention/equal-pace.ts';
import { Turns } from '../../bench/rivals/contention/turns.ts';

const sends = (requestsPerSecond: number) => ({ requestsPerSecond }) as ContentionCost;

describe('a pace of equal requests a second', () => {
  it('is found at once where only those who wait send requests', async () => {
    const asked: number[] = [];
    const { pollMs } = await equalPace(100, 11, async (each) => {
      asked.push(each);
      return sends(10_000 / each);
    });
    expect(pollMs).toBe(100);
    expect(asked).toEqual([100]);
  });

  it('is approached where those who hold send some, too', async () => {
    const { pollMs, cost } = await equalPace(100, 11, async (each) => sends(40 + 10_000 / each));
    expect(pollMs).toBeGreaterThan(140);
    expect(Math.abs(cost.requestsPerSecond - 100)).toBeLessThan(15);
  });

  it('is the nearest that was tried where there is none', async () => {
    const tried: number[] = [];
    const { cost } = await equalPace(10, 2, async (each) => {
      tried.push(each);
      return sends(200 + tried.length);
    });
    expect(cost.requestsPerSecond).toBe(201);
    expect(tried).toHaveLength(3);
    expect(Math.max(...tried)).toBeLessThanOrEqual(10_000);
  });
});

describe('turns', () => {
  const settled = async (rest: Promise<void>) => {
    let rested = false;
    const ended = rest.then(() => {
      rested = true;
    });
    await Promise.race([ended, new Promise(setImmediate)]);
    return rested;
  };

  it('let who had the lock last rest until another has it', async () => {
    const turns = new Turns();
    turns.taken(1);
    const rest = turns.rest(1);
    turns.taken(1);
    expect(await settled(rest)).toBe(false);
    turns.taken(2);
    expect(await settled(rest)).toBe(true);
  });

  it('let it go on at once where another has it by then, also one of another process', async () => {
    const turns = new Turns();
    turns.taken(1);
    turns.taken();
    expect(await settled(turns.rest(1))).toBe(true);
  });

  it('let nobody rest when all is over', async () => {
    const turns = new Turns();
    turns.taken(1);
    const rest = turns.rest(1);
    turns.end();
    expect(await settled(rest)).toBe(true);
    expect(await settled(turns.rest(1))).toBe(true);
  });
});
