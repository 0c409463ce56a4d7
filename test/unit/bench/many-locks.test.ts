import type { LockClient, LockSystem } from '../../bench/rivals/lock-system.ts';
import { beforeLong } from '../../bench/rivals/workloads/before-long.ts';
import { takeMany } from '../../bench/rivals/workloads/many-locks.ts';

const system = { name: 'made up' } as LockSystem;
const clientOf = (lock: LockClient['lock']): LockClient => ({ lock, close: async () => undefined });

describe('many locks', () => {
  it('are each taken and given back once, by so many workers at once', async () => {
    const taken: string[] = [];
    let [now, most, released] = [0, 0, 0];
    const client = clientOf(async (lockId) => {
      taken.push(lockId);
      now++;
      most = Math.max(most, now);
      await null;
      return {
        release: async () => {
          now--;
          released++;
        },
      };
    });
    const result = await takeMany(system, client, { locks: 20, workers: 4 });
    expect(result).toMatchObject({ done: 20, failed: 0 });
    expect([new Set(taken).size, released, most]).toEqual([20, 20, 4]);
  });

  it('that failed are counted, as long as they are few', async () => {
    let asked = 0;
    const client = clientOf(async () => {
      asked++;
      if (asked <= 2) throw new Error('refused');
      return { release: async () => undefined };
    });
    expect(await takeMany(system, client, { locks: 20, workers: 4 })).toMatchObject({ done: 18, failed: 2 });
  });

  it('that failed more often are no measurement', async () => {
    const cause = new Error('refused');
    let asked = 0;
    const client = clientOf(async () => {
      asked++;
      if (asked <= 3) throw cause;
      return { release: async () => undefined };
    });
    const measured = takeMany(system, client, { locks: 20, workers: 4 });
    await expect(measured).rejects.toMatchObject({ message: 'made up failed 3 of 20 times', cause });
  });
});

describe('what may wait for ever', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('fails after two minutes, and says who it was', async () => {
    const failed = expect(beforeLong('made up', new Promise(() => undefined))).rejects.toThrow(/^made up did not get/);
    await jest.advanceTimersByTimeAsync(120_000);
    await failed;
  });

  it('gives what came before that, and leaves no timer behind', async () => {
    await expect(beforeLong('made up', Promise.resolve(7))).resolves.toBe(7);
    expect(jest.getTimerCount()).toBe(0);
  });
});
