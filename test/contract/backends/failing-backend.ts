import { setImmediate as turn } from 'node:timers/promises';
import { HoldfastError, LockServiceError } from '../../../sdk/index.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Connected, Under } from './backend-under-test.ts';
import type { Fault, Step } from './network.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 11. */
export function failingBackendContract(under: Under): void {
  // Each client meets faults of its own, the same in every run.
  async function clientsThatMeet(faults: readonly Fault[], share: number): Promise<Connected[]> {
    const random = seededRandom(11);
    const clients = await Promise.all(Array.from({ length: 3 }, () => under().connectOver()));
    for (const { network } of clients) {
      network.setRule(() => (random() < share ? faults[Math.floor(random() * faults.length)] : undefined));
    }
    return clients;
  }

  it.concurrent('30 % refused requests: never two inside, each error told, the lock free in the end', async () => {
    const lockId = newLockId();
    const clients = await clientsThatMeet(['refused'], 0.3);
    let inside = 0;
    let entered = 0;
    const errors: unknown[] = [];
    const work = async ({ locks }: Connected) => {
      for (let round = 0; round < 4; round++) {
        const lock = locks.createLock(lockId);
        try {
          await lock.lock();
        } catch (error) {
          errors.push(error);
          continue;
        }
        expect(++inside).toBe(1);
        entered++;
        await turn();
        inside--;
        while (lock.isHeld) await lock.unlock().catch((error: unknown) => errors.push(error));
      }
    };
    await Promise.all(clients.map(work));
    expect(entered + errors.length).toBeGreaterThanOrEqual(12);
    expect(entered).toBeGreaterThan(0);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toBeInstanceOf(HoldfastError);
    for (const { network } of clients) network.setRule();
    for (const { locks } of clients) {
      const lock = locks.createLock(lockId);
      await lock.lock();
      await lock.unlock();
    }
  });

  it.concurrent('30 % lost, throttled and failing requests: lock() gets through, and nothing is lost', async () => {
    const lockId = newLockId();
    const clients = await clientsThatMeet(['lost-request', 'lost-reply', 'throttled', 'failed'], 0.3);
    let inside = 0;
    let count = 0;
    const work = async ({ locks }: Connected) => {
      for (let round = 0; round < 4; round++) {
        await locks.withLock(lockId, async () => {
          expect(++inside).toBe(1);
          const read = count;
          await turn();
          count = read + 1;
          inside--;
        });
      }
    };
    await Promise.all(clients.map(work));
    expect(count).toBe(12);
    for (const { network } of clients) network.setRule();
    await Promise.all(clients.map(({ locks }) => locks.dispose({ timeoutMs: 0 })));
    const next = under().connect().createLock(lockId);
    await next.lock();
    await next.unlock();
  });

  it.concurrent('a service that cannot be reached: the error after the time given, and never a lock', async () => {
    const { locks, network } = await under().connectOver({ unreachableAfterMs: 1_000 });
    network.setRule(() => 'lost-request');
    const lock = locks.createLock(newLockId());
    const startedMs = performance.now();
    await expect(lock.lock()).rejects.toThrow(LockServiceError);
    expect(performance.now() - startedMs).toBeGreaterThan(999);
    expect(performance.now() - startedMs).toBeLessThan(8_000);
    expect(lock.isHeld).toBe(false);
    const body = jest.fn();
    await expect(locks.withLock(newLockId(), body)).rejects.toThrow(LockServiceError);
    expect(body).not.toHaveBeenCalled();
    network.setRule();
    await lock.lock();
    await lock.unlock();
  });

  it.concurrent('tryLock() of a service that says nothing is an error, never false', async () => {
    const { locks, network } = await under().connectOver();
    network.setRule(() => 'cut-off');
    const lock = locks.createLock(newLockId());
    const startedMs = performance.now();
    await expect(lock.tryLock()).rejects.toThrow(LockServiceError);
    expect(performance.now() - startedMs).toBeLessThan(6_000);
    expect(lock.isHeld).toBe(false);
    network.setRule();
    expect(await under().connect().createLock(lock.lockId).tryLock()).toBe(true);
  });

  it('a release that is refused tells its error, and the lock is held until a release gets through', async () => {
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(newLockId());
    await lock.lock();
    network.setRule((step: Step) => (step === 'release' ? 'refused' : undefined));
    await expect(lock.unlock()).rejects.toBeInstanceOf(HoldfastError);
    expect(lock.isHeld).toBe(true);
    expect(await under().connect().createLock(lock.lockId).tryLock()).toBe(false);
    network.setRule();
    await lock.unlock();
    expect(lock.isHeld).toBe(false);
    expect(await under().rawItem(lock.lockId)).not.toHaveProperty('owner');
  });

  it.concurrent('a wait that is refused after it stood in line leaves no place in it', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(lockId);
    const got = lock.lock();
    const failed = expect(got).rejects.toBeInstanceOf(HoldfastError);
    await lineOf(under(), lockId, 1);
    // Once: what the client does about it gets through.
    let refusals = 0;
    network.setRule((step) => ((step === 'look' || step === 'join') && refusals++ === 0 ? 'refused' : undefined));
    // Whoever looks by itself asks without it; and what is sent twice, because the first was reset, is not refused for sure.
    if (under().looksPerSecond === 0) network.dropConnections();
    await failed;
    await lineOf(under(), lockId, 0);
    await holder.unlock();
  });
}
