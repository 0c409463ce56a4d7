import { getEventListeners } from 'node:events';
import type { LockFactory } from '../../../sdk/index.ts';
import { alice, heldItem } from '../../support/lock-items.ts';
import type { Under } from './backend-under-test.ts';
import type { Fault } from './network.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

const tries = 10_000;
const triesAtOnce = 1_000;

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

/** Scenarios 6 and 28. */
export function nothingLeftBehindContract(under: Under): void {
  it.each(['this process holds', 'another process holds, and a flow of this one waits for'])(
    '10,000 failed timed tries at a lock that %s leave no timer, listener, entry or place behind',
    async (how) => {
      const locks = under().connect();
      const lockId = newLockId();
      const isHere = how === 'this process holds';
      const holder = (isHere ? locks : under().connect()).createLock(lockId);
      await holder.lock();
      const waiter = locks.createLock(lockId);
      const got = isHere ? undefined : waiter.lock();
      await lineOf(under(), lockId, isHere ? 0 : 1);
      const before = await under().rawItem(lockId);
      const { signal } = new AbortController();
      const [timersBefore, linesBefore] = [timers(), locks.lineCount];
      for (let tried = 0; tried < tries; tried += triesAtOnce) {
        const taken = await Promise.all(
          Array.from({ length: triesAtOnce }, () => locks.createLock(lockId).tryLock(1, 'milliseconds', { signal })),
        );
        expect(taken.filter(Boolean)).toEqual([]);
      }
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      expect(locks.lineCount).toBe(linesBefore);
      // Of other tests, some come and go.
      expect(timers()).toBeLessThan(timersBefore + 500);
      const item = await under().rawItem(lockId);
      expect([item?.queue, item?.fence]).toEqual([before?.queue, before?.fence]);
      await holder.unlock();
      await got;
      if (!isHere) await waiter.unlock();
    },
  );

  it('failed timed tries at many locks of others leave no timer, listener, entry or place behind', async () => {
    const {
      locks: many,
      rounds,
      tryMs,
    } = under().isRemote ? { locks: 10, rounds: 1, tryMs: 1_000 } : { locks: 100, rounds: 20, tryMs: 5 };
    const ids = Array.from({ length: many }, () => newLockId());
    const nextYear = Date.now() + 365 * 24 * 3_600_000;
    await under().seed(ids.map((lockId) => heldItem(lockId, { until: nextYear, ttl: nextYear / 1_000 })));
    const locks = under().connect();
    const { signal } = new AbortController();
    const timersBefore = timers();
    for (let round = 0; round < rounds; round++) {
      const taken = ids.map((lockId) => locks.createLock(lockId).tryLock(tryMs, 'milliseconds', { signal }));
      expect((await Promise.all(taken)).filter(Boolean)).toEqual([]);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(locks.lineCount).toBe(0);
    await locks.dispose();
    expect(timers()).toBeLessThan(timersBefore + 500);
    for (const lockId of ids)
      expect(await under().rawItem(lockId)).toMatchObject({ owner: alice, queue: [], tickets: {} });
  });

  it('an aborted timed tryLock leaves nothing in memory and nothing in the table', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks } = await under().connectOver();
    const abort = new AbortController();
    const tries = [1, 2, 3].map(() =>
      expect(locks.createLock(lockId).tryLock(20, 'seconds', { signal: abort.signal })).rejects.toMatchObject({
        code: 'interrupted',
      }),
    );
    await lineOf(under(), lockId, 1);
    abort.abort();
    await Promise.all(tries);
    expect(locks.lineCount).toBe(0);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    expect(await under().rawItem(lockId)).toMatchObject({ queue: [], tickets: {}, fence: holder.fencingToken });
    await holder.unlock();
  });

  it.each<[string, Fault]>([
    ['a request never arrives', 'lost-request'],
    ['a reply is lost', 'lost-reply'],
    ['a connection is reset', 'reset'],
  ])('dispose() and aborts leave no hold, no place and no entry behind, also when %s', async (_, fault) => {
    const held = under().connect().createLock(newLockId());
    await held.lock();
    const { locks, network } = await under().connectOver();
    const abort = new AbortController();
    const settled = (promise: Promise<unknown>) => promise.catch((error: { code: string }) => error.code);
    // One of each: taken, waited for, aborted while it is taken.
    const free = locks.createLock(newLockId());
    const aborted = locks.createLock(newLockId());
    network.trap('claim', fault);
    await free.lock();
    network.trap('join', fault);
    const waiting = settled(locks.createLock(held.lockId).lockInterruptibly(abort.signal));
    await lineOf(under(), held.lockId, 1);
    network.trap('claim', fault);
    const taking = settled(aborted.lockInterruptibly(abort.signal));
    network.trap('release', fault);
    network.trap('release', fault);
    abort.abort();
    expect(await Promise.all([waiting, taking])).toEqual(['interrupted', 'interrupted']);
    expect(await locks.dispose({ timeoutMs: 0 })).toEqual([free.lockId]);
    expect(locks.lineCount).toBe(0);
    await expectFree(locks, [free.lockId, aborted.lockId]);
    expect(await under().rawItem(held.lockId)).toMatchObject({ queue: [], tickets: {}, fence: held.fencingToken });
    await held.unlock();
  });

  async function expectFree(locks: LockFactory, ids: readonly string[]): Promise<void> {
    expect(locks.lineCount).toBe(0);
    for (const lockId of ids) {
      const { owner, queue = [], tickets = {} } = (await under().rawItem(lockId)) ?? {};
      expect({ owner, queue, tickets }).toEqual({ owner: undefined, queue: [], tickets: {} });
    }
  }
}
