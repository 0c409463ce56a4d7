import type { Under } from './backend-under-test.ts';
import { withoutLooks } from './network.ts';
import { newLockId } from './new-lock-id.ts';
import { lineOf, waiting } from './waiting.ts';

/** Scenario 21. */
export function lostRepliesContract(under: Under): void {
  it('the reply of a granted acquire is lost: the repeat finds itself holder', async () => {
    const { locks, network } = await under().connectOver();
    const { struck } = network.trap('claim', 'lost-reply');
    const lock = locks.createLock(newLockId());
    await lock.lock();
    await struck;
    const item = await under().rawItem(lock.lockId);
    expect(item).toMatchObject({ owner: expect.any(String), fence: lock.fencingToken });
    expect(await under().connect().createLock(lock.lockId).tryLock()).toBe(false);
    await lock.unlock();
    expect(await under().rawItem(lock.lockId)).not.toHaveProperty('owner');
  });

  it('an acquire that never arrived is repeated', async () => {
    const { locks, network } = await under().connectOver();
    const { struck } = network.trap('claim', 'lost-request');
    const lock = locks.createLock(newLockId());
    expect(await lock.tryLock()).toBe(true);
    await struck;
    await lock.unlock();
  });

  it.concurrent('an acquire that arrives long after its caller gave up harms no successor', async () => {
    const { locks, network } = await under().connectOver();
    const lockId = newLockId();
    const late = network.trap('claim', 'held-request');
    const abort = new AbortController();
    const given = locks.createLock(lockId).lockInterruptibly(abort.signal);
    await late.struck;
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: 'interrupted' });
    const successor = under().connect().createLock(lockId);
    await successor.lock();
    await late.letThrough();
    expect(await under().rawItem(lockId)).toMatchObject({ fence: successor.fencingToken, queue: [] });
    expect(successor.isHeld).toBe(true);
    await successor.unlock();
    await locks.dispose();
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });

  it('the reply of a wait is lost as it brings the lock: it holds all the same', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks, network } = await under().connectOver();
    const { struck } = network.trap('join', 'lost-reply');
    const lock = locks.createLock(lockId);
    const got = lock.lock();
    await lineOf(under(), lockId, 1);
    await holder.unlock();
    await Promise.all([struck, got]);
    expect(lock.isHeld).toBe(true);
    expect(await under().rawItem(lockId)).toMatchObject({ fence: lock.fencingToken, queue: [] });
    await lock.unlock();
  });

  it('the reply of a renewal is lost: the next renewal and the release succeed', async () => {
    const { locks, network } = await under().connectOver();
    const lease = await locks.createLock(newLockId()).acquire({ leaseMs: 30_000 });
    const { struck } = network.trap('renew', 'lost-reply');
    // Where the store repeats by itself, nobody notices.
    await lease.renew().catch((error: unknown) => expect(error).toMatchObject({ code: 'lock-service' }));
    await struck;
    expect(lease.isHeld).toBe(true);
    await lease.renew();
    await lease.release();
    expect(await under().rawItem(lease.lockId)).not.toHaveProperty('owner');
  });

  it('the reply of a release is lost: it succeeds, also when a rival has the lock by then', async () => {
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(newLockId());
    await lock.lock();
    const rival = under().connect().createLock(lock.lockId);
    const waits = rival.lock();
    await lineOf(under(), lock.lockId, 1);
    const { struck } = network.trap('release', 'lost-reply');
    await lock.unlock();
    await struck;
    await waits;
    expect(rival.isHeld).toBe(true);
    await rival.unlock();
    expect(await under().rawItem(lock.lockId)).not.toHaveProperty('owner');
  });

  it('the reply of a hand-over inside one process is lost: the next flow holds', async () => {
    const { locks, network } = await under().connectOver();
    const [holder, next] = [locks.createLock(newLockId())].flatMap((lock) => [lock, locks.createLock(lock.lockId)]);
    await holder?.lock();
    const got = next?.lock();
    const { struck } = network.trap('release', 'lost-reply');
    await holder?.unlock();
    await struck;
    await got;
    expect(next?.isHeld).toBe(true);
    expect(await under().rawItem(next?.lockId ?? '')).toMatchObject({ fence: next?.fencingToken, queue: [] });
    await next?.unlock();
    expect(await under().rawItem(next?.lockId ?? '')).not.toHaveProperty('owner');
  });

  it('the reply of a join is lost: it stands in line once, and gets the lock once', async () => {
    const lockId = newLockId();
    const holder = under().connect().createLock(lockId);
    await holder.lock();
    const { locks, network } = await under().connectOver();
    const { struck } = network.trap('join', 'reset');
    const lock = locks.createLock(lockId);
    const got = lock.lock();
    await struck;
    await lineOf(under(), lockId, 1);
    const item = await under().rawItem(lockId);
    expect(Object.keys(item?.tickets ?? {})).toEqual(item?.queue);
    await holder.unlock();
    await got;
    expect(lock.isHeld).toBe(true);
    expect(await waiting(under(), lockId)).toBe(0);
    await lock.unlock();
    expect(withoutLooks(network).filter((step) => step === 'release')).toHaveLength(1);
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });

  it.each(['lost-request', 'lost-reply'] as const)(
    'the confirmation of a lock that was waited for meets a %s: it holds all the same',
    async (fault) => {
      const lockId = newLockId();
      const holder = under().connect().createLock(lockId);
      await holder.lock();
      const { locks, network } = await under().connectOver();
      const lock = locks.createLock(lockId);
      const got = lock.lock();
      await lineOf(under(), lockId, 1);
      const { struck } = network.trap('renew', fault);
      await holder.unlock();
      await Promise.all([struck, got]);
      expect(lock.isHeld).toBe(true);
      expect(await under().rawItem(lockId)).toMatchObject({ fence: lock.fencingToken, principal: expect.any(String) });
      await lock.unlock();
    },
  );
}
