import type { Lock } from '../../../sdk/index.ts';
import type { Under } from './backend-under-test.ts';
import { withoutLooks } from './network.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf, waiting } from './waiting.ts';

/** Scenario 3. */
export function tryLockContract(under: Under): void {
  it('tryLock() on a lock that another process holds is false in one round trip', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks, network } = await under().connectOver();
    expect(await locks.createLock(lockId).tryLock()).toBe(false);
    expect(withoutLooks(network)).toEqual(['claim']);
    expect(await waiting(under(), lockId)).toBe(0);
    await holder.unlock();
  });

  it('tryLock() on a lock that this process holds is false without asking', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const holder = locks.createLock(lockId);
    expect(await holder.tryLock()).toBe(true);
    expect(await holder.tryLock()).toBe(false);
    expect(await locks.createLock(lockId).tryLock()).toBe(false);
    expect(network.asked).toEqual(['claim']);
    await holder.unlock();
  });

  it.each([
    ['of one process', 1],
    ['of ten processes', 10],
  ])('exactly one of ten simultaneous tryLock() %s is true', async (_, processes) => {
    const lockId = newLockId();
    const factories = Array.from({ length: processes }, () => under().connect());
    const handles = Array.from({ length: 10 }, (_each, at) => factories[at % processes]?.createLock(lockId));
    const taken = await Promise.all(handles.map((lock) => lock?.tryLock()));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(handles.map((lock) => lock?.isHeld)).toEqual(taken);
    await handles[taken.indexOf(true)]?.unlock();
  });

  it('tryLock() does not overtake whoever waits, also right after the release', async () => {
    const lockId = newLockId();
    const [holder, waiter, rival] = [under().connect(), under().connect(), under().connect()].map((locks) =>
      locks.createLock(lockId),
    ) as [Lock, Lock, Lock];
    await holder.lock();
    const got = waiter.lock();
    await lineOf(under(), lockId, 1);
    expect(await rival.tryLock()).toBe(false);
    const [, taken] = await Promise.all([holder.unlock(), rival.tryLock()]);
    expect(taken).toBe(false);
    expect(await rival.tryLock()).toBe(false);
    await got;
    expect(waiter.isHeld).toBe(true);
    await waiter.unlock();
  });
}
