import {
  IllegalArgumentError,
  IllegalMonitorStateError,
  InterruptedError,
  LeaseLostError,
  LockFactory,
  LockNotAcquiredError,
  LockServiceError,
} from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { type Fault, ServiceBackend } from '../../support/service-backend.ts';

let backend: ServiceBackend;
let locks: LockFactory;
// The locks of another process.
let rivals: LockFactory;

beforeEach(() => {
  jest.useFakeTimers();
  backend = new ServiceBackend();
  locks = new LockFactory(backend, { random: () => 0.5 });
  rivals = new LockFactory(backend, { random: () => 0.5 });
});

afterEach(() => jest.useRealTimers());

const view = async (lockId = 'a') => (await backend.service.inspect(lockId)).view;
const unknown: Fault = {
  kind: 'unknown',
  answered: true,
  error: new LockServiceError('HTTP status 500', { outcomeUnknown: true }),
};
const breakHold = async () => {
  const { fencingToken = 0 } = await view();
  await backend.service.break({ lockId: 'a', fencingToken });
};

describe('a logical thread', () => {
  it('takes its lock again by any of its handles, with one grant, and frees it with the last unlock', async () => {
    const me = locks.asOwner();
    const [one, other] = [me.createLock('a'), me.createLock('a')];
    await one.lock();
    await other.lock();
    expect(await one.tryLock()).toBe(true);
    expect(backend.calls.map(({ operation }) => operation)).toEqual(['try']);
    expect(other.fencingToken).toBe(one.fencingToken);

    await one.unlock();
    await one.unlock();
    expect(await rivals.createLock('a').tryLock()).toBe(false);
    expect(one.isHeld).toBe(true);
    await other.unlock();
    expect(other.isHeld).toBe(false);
    expect(await rivals.createLock('a').tryLock()).toBe(true);
    await expect(one.unlock()).rejects.toThrow(IllegalMonitorStateError);
  });

  it('excludes other owners, plain handles and withLock of the same factory', async () => {
    const lock = locks.asOwner().createLock('a');
    await lock.lock();
    expect(await locks.asOwner().createLock('a').tryLock()).toBe(false);
    expect(await locks.createLock('a').tryLock()).toBe(false);
    await expect(locks.withLock('a', { waitMs: 0 }, () => 'in')).rejects.toThrow(LockNotAcquiredError);
    await lock.unlock();
    expect(await locks.createLock('a').tryLock()).toBe(true);
    expect(await lock.tryLock()).toBe(false);
  });

  it('keeps the options with which it took the lock first', async () => {
    const me = locks.asOwner('import of orders');
    await me.createLock('a', { leaseMs: 5_000 }).lock();
    await me.createLock('a', { leaseMs: 60_000, holder: 'another' }).lock();
    expect(await view()).toMatchObject({ holder: 'import of orders', expiresInMs: 5_000 });
  });

  it('lets its waiting flows in together when one of them has the lock', async () => {
    const rival = rivals.createLock('a');
    await rival.lock();
    const me = locks.asOwner();
    const flows = [me.createLock('a').lock(), me.createLock('a').tryLock(20, 'seconds'), me.createLock('a').lock()];
    await jest.advanceTimersByTimeAsync(500);
    await rival.unlock();
    await inFakeTime(Promise.all(flows));
    expect((await view()).waiters).toBe(0);
    const lock = me.createLock('a');
    for (let level = 0; level < 3; level++) {
      expect(await rivals.createLock('a').tryLock()).toBe(false);
      await lock.unlock();
    }
    expect(await rivals.createLock('a').tryLock()).toBe(true);
  });

  it('gives up one of its waiting flows alone: at its time, or by its signal', async () => {
    await rivals.createLock('a').lock();
    const me = locks.asOwner();
    const abort = new AbortController();
    const stays = me.createLock('a').tryLock(60, 'seconds');
    const timed = me.createLock('a').tryLock(2, 'seconds');
    const aborted = me.createLock('a').lockInterruptibly(abort.signal);
    const refused = expect(aborted).rejects.toThrow(InterruptedError);
    await jest.advanceTimersByTimeAsync(1_000);
    abort.abort();
    await refused;
    expect(await inFakeTime(timed)).toBe(false);
    expect((await view()).waiters).toBe(1);
    expect(await inFakeTime(stays)).toBe(false);
    expect((await view()).waiters).toBe(0);
  });

  it('rejects an aborted signal although the lock is its own', async () => {
    const lock = locks.asOwner().createLock('a');
    await lock.lock();
    await expect(lock.lockInterruptibly(AbortSignal.abort())).rejects.toThrow(InterruptedError);
    await lock.unlock();
    expect(lock.isHeld).toBe(false);
  });

  it('goes on after a flow that did not wait was refused', async () => {
    const rival = rivals.createLock('a');
    await rival.lock();
    const lock = locks.asOwner().createLock('a');
    expect(await lock.tryLock()).toBe(false);
    await expect(lock.unlock()).rejects.toThrow(IllegalMonitorStateError);
    await rival.unlock();
    expect(await lock.tryLock()).toBe(true);
  });

  it.each(['', 'x'.repeat(257), 'a\nb'])('needs a label that people can read, not %j', (label) => {
    expect(() => locks.asOwner(label)).toThrow(IllegalArgumentError);
    expect(() => locks.asOwner().createLock('')).toThrow(IllegalArgumentError);
  });
});

describe('a logical thread whose lease was lost', () => {
  it('rejects taking it again, and each unlock, until every level is through; then it may lock anew', async () => {
    const lock = locks.asOwner().createLock('a');
    await lock.lock();
    await lock.lock();
    await breakHold();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(lock.signal?.aborted).toBe(true);

    await expect(lock.lock()).rejects.toMatchObject({ code: 'lease-lost', reason: 'broken' });
    await expect(lock.tryLock()).rejects.toThrow(LeaseLostError);
    await expect(lock.unlock()).rejects.toThrow(LeaseLostError);
    await expect(lock.lock()).rejects.toThrow(LeaseLostError);
    await expect(lock.unlock()).rejects.toThrow(LeaseLostError);

    const rival = rivals.createLock('a');
    expect(await rival.tryLock()).toBe(true);
    await rival.unlock();
    expect(await lock.tryLock()).toBe(true);
    await lock.unlock();
  });
});

describe('a logical thread whose release got no answer', () => {
  it('keeps the hold for another unlock', async () => {
    const lock = locks.asOwner().createLock('a');
    await lock.lock();
    backend.fault = ({ operation }) => (operation === 'release' ? unknown : undefined);
    await expect(inFakeTime(lock.unlock())).rejects.toThrow(LockServiceError);
    backend.fault = () => undefined;
    await lock.unlock();
    expect((await view()).state).toBe('free');
    await expect(lock.unlock()).rejects.toThrow(IllegalMonitorStateError);
  });

  it('has nothing to unlock of that hold once it holds the lock again', async () => {
    const lock = locks.asOwner().createLock('a');
    await lock.lock();
    backend.fault = ({ operation }) => (operation === 'release' ? unknown : undefined);
    await expect(inFakeTime(lock.unlock())).rejects.toThrow(LockServiceError);
    backend.fault = () => undefined;
    const again = inFakeTime(lock.lock());
    await again;
    expect(lock.isHeld).toBe(true);
    await lock.unlock();
    expect((await view()).state).toBe('free');
    await expect(lock.unlock()).rejects.toThrow(IllegalMonitorStateError);
  });
});

describe('withLock of a logical thread', () => {
  it('re-enters, and frees the lock when the outermost body has ended', async () => {
    const lock = locks.asOwner().createLock('a');
    const tokens: number[] = [];
    await lock.withLock(async ({ fencingToken }) => {
      tokens.push(fencingToken);
      await lock.withLock(async (inner) => {
        tokens.push(inner.fencingToken);
      });
      expect((await view()).state).toBe('held');
    });
    expect(tokens[1]).toBe(tokens[0]);
    expect((await view()).state).toBe('free');
  });

  it('leaves no hold behind when its release got no answer', async () => {
    const lock = locks.asOwner().createLock('a');
    await lock.withLock(async () => {
      backend.fault = ({ operation }) => (operation === 'release' ? unknown : undefined);
      void jest.advanceTimersByTimeAsync(6_000);
    });
    backend.fault = () => undefined;
    await expect(lock.unlock()).rejects.toThrow(IllegalMonitorStateError);
    await inFakeTime(lock.lock());
    await lock.unlock();
    expect(lock.isHeld).toBe(false);
  });

  it('leaves the outer levels of a lost lease to reject', async () => {
    const lock = locks.asOwner().createLock('a');
    await lock.lock();
    await expect(
      lock.withLock(async () => {
        await breakHold();
        await jest.advanceTimersByTimeAsync(10_000);
      }),
    ).rejects.toThrow(LeaseLostError);
    await expect(lock.unlock()).rejects.toThrow(LeaseLostError);
    await expect(lock.unlock()).rejects.not.toThrow(LeaseLostError);
  });
});

it('an owner whose flows give back too much is told so', async () => {
  const lock = locks.asOwner().createLock('a');
  const flows = await inFakeTime(
    Promise.allSettled([lock.lock(), lock.withLock(() => 'in'), lock.unlock(), lock.unlock(), lock.unlock()]),
  );
  for (const each of flows)
    if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(IllegalMonitorStateError);
});
