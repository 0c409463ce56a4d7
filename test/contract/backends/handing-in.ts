import type { Lock } from '../../../sdk/index.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 10. */
export function handingInContract(under: Under): void {
  // Each of them in a process of its own, in the line before the next one comes.
  async function standInLine(lockId: string, count: number): Promise<Waiter[]> {
    const waiters: Waiter[] = [];
    for (let at = 1; at <= count; at++) {
      waiters.push(new Waiter(under().connect().createLock(lockId)));
      await lineOf(under(), lockId, at);
    }
    return waiters;
  }

  it.concurrent('a waiter goes on soon after the release', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const [waiter] = (await standInLine(lockId, 1)) as [Waiter];
    const startedMs = performance.now();
    await holder.unlock();
    await waiter.settled;
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(waiter.lock.isHeld).toBe(true);
    await waiter.lock.unlock();
  });

  it.concurrent('waiters of several processes go in the order in which they came, one that gave up is passed', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const waiters = await standInLine(lockId, 5);
    waiters[2]?.abort.abort();
    expect(await waiters[2]?.settled).toBe('interrupted');
    await lineOf(under(), lockId, 4);
    await holder.unlock();
    const fences: (number | undefined)[] = [holder.fencingToken];
    for (const at of [0, 1, 3, 4]) {
      const { settled, lock } = waiters[at] as Waiter;
      expect(await settled).toBe('holds');
      // The others wait as long as it holds.
      expect(waiters.filter((each) => each.lock.isHeld)).toEqual([waiters[at]]);
      fences.push(lock.fencingToken);
      await lock.unlock();
    }
    expect(fences.slice(1)).toEqual(fences.slice(1).sort((one, other) => Number(one) - Number(other)));
    expect(await under().rawItem(lockId)).toMatchObject({ queue: [], tickets: {} });
  });

  it.concurrent('flows of one process go in the order in which they came', async () => {
    const lockId = newLockId();
    const locks = under().connect();
    const holder = locks.createLock(lockId);
    await holder.lock();
    const got: number[] = [];
    const flows = Array.from({ length: 6 }, async (_, at) => {
      const lock = locks.createLock(lockId);
      await lock.lock();
      got.push(at);
      await lock.unlock();
    });
    await holder.unlock();
    await Promise.all(flows);
    expect(got).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it.concurrent('when all waiters but two give up at random moments, exactly those two get the lock', async () => {
    const random = seededRandom(10);
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const factories = Array.from({ length: 4 }, () => under().connect());
    const waiters = factories.flatMap((locks) => [1, 2, 3].map(() => new Waiter(locks.createLock(lockId))));
    const staying = [waiters[3], waiters[10]];
    const leaving = waiters.filter((waiter) => !staying.includes(waiter));
    const done = waiters.map(async (waiter) => {
      const outcome = await waiter.settled;
      if (outcome === 'holds') await waiter.lock.unlock();
      return outcome;
    });
    for (const { abort } of leaving) setTimeout(() => abort.abort(), random() * 400);
    expect(await Promise.all(leaving.map(({ settled }) => settled))).toEqual(leaving.map(() => 'interrupted'));
    await holder.unlock();
    const outcomes = await Promise.all(done);
    expect(outcomes.filter((outcome) => outcome === 'holds')).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === 'interrupted')).toHaveLength(10);
    await Promise.all(factories.map((locks) => locks.dispose({ timeoutMs: 0 })));
    expect(await under().rawItem(lockId)).toMatchObject({ queue: [], tickets: {} });
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });
}

class Waiter {
  readonly abort = new AbortController();
  readonly settled: Promise<string>;

  constructor(readonly lock: Lock) {
    this.settled = lock.lockInterruptibly(this.abort.signal).then(
      () => 'holds',
      (error: { code: string }) => error.code,
    );
  }
}
