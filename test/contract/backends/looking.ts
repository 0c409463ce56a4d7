import type { LockView } from '../../../sdk/wire/lock-view.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf } from './waiting.ts';

/** Scenario 27: looking at locks, listing and breaking them. */
export function lookingContract(under: Under): void {
  it('a look shows a lock that was never taken, that is held, waited for, and free again', async () => {
    const lockId = newLockId();
    const [locks, others] = [under().connect(), under().connect()];
    expect(await others.inspect(lockId)).toEqual({ lockId, state: 'free', waiters: 0 });
    const holder = locks.createLock(lockId, { holder: 'the holder' });
    await holder.lock();
    const waiter = others.createLock(lockId);
    const got = waiter.lock();
    await lineOf(under(), lockId, 1);
    const { fencingToken } = holder;
    const held = await others.inspect(lockId);
    expect(held).toMatchObject({ lockId, state: 'held', holder: 'the holder', fencingToken, waiters: 1 });
    expect(held.principal).toEqual(expect.any(String));
    expect(held.expiresInMs).toBeGreaterThan(0);
    expect(Date.parse(held.since ?? '')).toBeLessThanOrEqual(Date.now());
    await holder.unlock();
    await got;
    await waiter.unlock();
    expect(await locks.inspect(lockId)).toEqual({
      lockId,
      state: 'free',
      waiters: 0,
      fencingToken: expect.any(Number),
    });
  });

  it('a break ends the hold that was looked at, its owner learns of it, and the first who waits has the lock', async () => {
    const lockId = newLockId();
    const [locks, others, admin] = [under().connect(), under().connect(), under().connect()];
    const lease = await locks.createLock(lockId).acquire();
    const waiter = others.createLock(lockId);
    const got = waiter.lock();
    await lineOf(under(), lockId, 1);
    const { fencingToken } = lease;
    const broken = await admin.break(lockId, { fencingToken, note: 'its host is gone' });
    expect(broken).toMatchObject({ outcome: 'broken', view: { lockId, waiters: 0 } });
    await got;
    expect(waiter.fencingToken).toBeGreaterThan(fencingToken);
    const before = await under().rawItem(lockId);
    await expect(lease.renew()).rejects.toMatchObject({ code: 'lease-lost', reason: 'broken' });
    expect(lease.signal.reason).toMatchObject({ reason: 'broken' });
    await expect(lease.release()).rejects.toMatchObject({ reason: 'broken' });
    expect(await under().rawItem(lockId)).toEqual(before);
    await waiter.unlock();
  });

  it('a break of a hold that has ended touches nobody', async () => {
    const lockId = newLockId();
    const [locks, admin] = [under().connect(), under().connect()];
    const lock = locks.createLock(lockId);
    await lock.lock();
    const fencingToken = lock.fencingToken ?? 0;
    await lock.unlock();
    expect(await admin.break(lockId, { fencingToken })).toMatchObject({ outcome: 'not-held' });
    await lock.lock();
    const changed = await admin.break(lockId, { fencingToken });
    expect(changed).toMatchObject({ outcome: 'holder-changed', view: { fencingToken: lock.fencingToken } });
    expect(lock.isHeld).toBe(true);
    await lock.unlock();
    expect(await admin.break(newLockId(), { fencingToken })).toMatchObject({ outcome: 'not-held' });
  });

  it('a list shows the locks of a prefix in the state that is asked for, each once', async () => {
    const prefix = `${newLockId()}/list-`;
    const locks = under().connect();
    const [held, free] = [locks.createLock(`${prefix}held`), locks.createLock(`${prefix}free`)];
    await Promise.all([held.lock(), free.lock()]);
    await free.unlock();
    const listed = (options = {}) => all(locks.list({ prefix, ...options }));
    expect((await listed()).map(({ lockId }) => lockId)).toEqual([held.lockId]);
    expect((await listed({ state: 'free' })).map(({ lockId }) => lockId)).toEqual([free.lockId]);
    expect((await listed({ state: 'all', limit: 1 })).map(({ lockId }) => lockId).sort()).toEqual(
      [free.lockId, held.lockId].sort(),
    );
    expect(await listed({ state: 'over' })).toEqual([]);
    await held.unlock();
  });

  it('a list goes through thousands of locks, each once', async () => {
    const prefix = `${newLockId()}/thousands-`;
    const ids = Array.from({ length: under().isRemote ? 1_000 : 5_000 }, (_, at) => `${prefix}${at}`);
    await under().seed(
      ids.map((lockId) => ({
        lockId,
        fence: 1,
        queue: [],
        tickets: {},
        rev: 1,
        ttl: Math.ceil(Date.now() / 1_000) + 9_999,
      })),
    );
    const views = await all(under().connect().list({ prefix, state: 'all', limit: 300 }));
    expect(views.map(({ lockId }) => lockId).sort()).toEqual(ids.sort());
  });
}

async function all(views: AsyncIterable<LockView>): Promise<LockView[]> {
  const list: LockView[] = [];
  for await (const view of views) list.push(view);
  return list;
}
