import { inspect } from 'node:util';
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
import { type Fault, ServiceBackend, unanswered } from '../../support/service-backend.ts';

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

describe('a lock handle', () => {
  it('waits in lock until the holder unlocks, and gets a greater fencing token', async () => {
    const [first, second] = [rivals.createLock('a'), locks.createLock('a')];
    await first.lock();
    const before = first.fencingToken ?? 0;
    const waiting = second.lock();
    await jest.advanceTimersByTimeAsync(45_000);
    expect(second.isHeld).toBe(false);
    await first.unlock();
    await inFakeTime(waiting, 1_000);
    expect(second.fencingToken).toBeGreaterThan(before);
  });

  it('times the lease of a grant that it waited for from the renewal that confirms it', async () => {
    const [first, second] = [rivals.createLock('a'), locks.createLock('a', { leaseMs: 10_000 })];
    await first.lock();
    const waiting = second.acquire();
    await jest.advanceTimersByTimeAsync(15_000);
    await first.unlock();
    const lease = await inFakeTime(waiting, 1_000);
    expect(lease.remainingMs).toBeGreaterThan(9_900);
    expect(
      backend.callsOf('renew').some(({ ownerToken }) => ownerToken === backend.callsOf('acquire')[0]?.ownerToken),
    ).toBe(true);
    expect((await backend.service.inspect('a')).view.state).toBe('held');
  });
});

describe('handles that wait for one lock', () => {
  it('get it in the order in which they came, over many requests, each with a greater fencing token', async () => {
    const holder = rivals.createLock('a');
    await holder.lock();
    const got: number[] = [];
    const fences: number[] = [];
    const waiting: Promise<void>[] = [];
    for (let who = 0; who < 12; who++) {
      const work = async () => {
        const lock = new LockFactory(backend).createLock('a');
        await lock.lock();
        got.push(who);
        fences.push(lock.fencingToken ?? 0);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await lock.unlock();
      };
      waiting.push(work());
      await jest.advanceTimersByTimeAsync(20);
    }
    await jest.advanceTimersByTimeAsync(70_000);
    expect(got).toEqual([]);
    await holder.unlock();
    await inFakeTime(Promise.all(waiting));
    expect(got).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
    expect(new Set(fences).size).toBe(12);
    expect(new Set(backend.callsOf('acquire').map(({ ownerToken }) => ownerToken)).size).toBe(12);
  });

  it('are not overtaken by a tryLock that comes as the lock is handed over', async () => {
    const [holder, waiter, rival] = [rivals.createLock('a'), locks.createLock('a'), rivals.createLock('a')];
    await holder.lock();
    const waiting = waiter.lock();
    await jest.advanceTimersByTimeAsync(1_000);
    const unlocked = holder.unlock();
    expect(await rival.tryLock()).toBe(false);
    await inFakeTime(Promise.all([unlocked, waiting]), 2_000);
    expect(waiter.isHeld).toBe(true);
  });

  it('have it within a claim window after a waiter before them vanished', async () => {
    const holder = rivals.createLock('a');
    await holder.lock();
    await backend.service.acquire({
      lockId: 'a',
      ownerToken: 'v'.repeat(22),
      leaseMs: 30_000,
      identity: { principal: 'vanished' },
      waitMs: 0,
      confirm: true,
      keepPlace: true,
    });
    const waiter = locks.createLock('a');
    const waiting = waiter.lock();
    await jest.advanceTimersByTimeAsync(1_000);
    await holder.unlock();
    const handedOverAt = performance.now();
    await inFakeTime(waiting);
    expect(performance.now() - handedOverAt).toBeLessThan(3_000 + 500 + 250);
  });

  it('hand over in the releasing write once a renewal has shown that somebody waits', async () => {
    const holder = await rivals.createLock('a').acquire();
    const waiting = locks.createLock('a').lock();
    await jest.advanceTimersByTimeAsync(1_000);
    await holder.renew();
    await holder.release();
    expect(backend.releases.at(-1)).toMatchObject({ expectWaiters: true });
    await inFakeTime(waiting, 1_000);
  });
});

describe('a timed tryLock', () => {
  it('is false not before its time and soon after', async () => {
    await rivals.createLock('a').lock();
    const startedAt = performance.now();
    expect(await inFakeTime(locks.createLock('a').tryLock(2, 'seconds'))).toBe(false);
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(2_000);
    expect(tookMs).toBeLessThan(2_300);
  });

  it('leaves no timer behind when it ends without the lock', async () => {
    const holder = rivals.createLock('a');
    await holder.lock();
    const timersOfHolder = jest.getTimerCount();
    const waiting = Promise.all(Array.from({ length: 20 }, () => locks.createLock('a').tryLock(300)));
    await inFakeTime(waiting);
    expect(jest.getTimerCount()).toBe(timersOfHolder);
  });
});

describe('lockInterruptibly', () => {
  it('rejects when the signal aborts, leaves nothing behind and does not touch the holder', async () => {
    const holder = rivals.createLock('a');
    await holder.lock();
    const abort = new AbortController();
    const waiting = locks.createLock('a').lockInterruptibly(abort.signal);
    const rejected = expect(waiting).rejects.toThrow(InterruptedError);
    await jest.advanceTimersByTimeAsync(500);
    abort.abort();
    await jest.advanceTimersByTimeAsync(1_000);
    await rejected;
    expect(holder.isHeld).toBe(true);
    await holder.unlock();
    await jest.advanceTimersByTimeAsync(25_000);
    expect((await backend.service.inspect('a')).view.state).toBe('free');
  });

  it('gives back a lock that is handed to it as it gives up', async () => {
    const holder = rivals.createLock('a');
    await holder.lock();
    backend.replyMs = 400;
    const abort = new AbortController();
    const rejected = expect(locks.createLock('a').lockInterruptibly(abort.signal)).rejects.toThrow(InterruptedError);
    await jest.advanceTimersByTimeAsync(2_000);
    const unlocked = holder.unlock();
    abort.abort();
    await jest.advanceTimersByTimeAsync(30_000);
    await Promise.all([unlocked, rejected]);
    expect((await backend.service.inspect('a')).view).toMatchObject({ state: 'free', waiters: 0 });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives up again once the request that it left has ended without being understood', async () => {
    await rivals.createLock('a').lock();
    backend.fault = ({ operation }) => (operation === 'acquire' ? 'lost-reply' : undefined);
    const abort = new AbortController();
    const rejected = expect(locks.createLock('a').lockInterruptibly(abort.signal)).rejects.toThrow(InterruptedError);
    await jest.advanceTimersByTimeAsync(500);
    expect((await backend.service.inspect('a')).view.waiters).toBe(1);
    abort.abort();
    await jest.advanceTimersByTimeAsync(0);
    expect((await backend.service.inspect('a')).view.waiters).toBe(0);
    await jest.advanceTimersByTimeAsync(25_000);
    await rejected;
    expect(backend.callsOf('release')).toHaveLength(2);
  });
});

describe('acquire', () => {
  it('gives a lease that is released by itself and leaves the handle alone', async () => {
    const lock = locks.createLock('a');
    const lease = await lock.acquire({ waitMs: 1_000 });
    expect(lease.isHeld).toBe(true);
    expect(lock.isHeld).toBe(false);
    await expect(lock.unlock()).rejects.toThrow(IllegalMonitorStateError);
    await lease.release();
    await lease.release();
    expect(lease.isHeld).toBe(false);
    expect(backend.callsOf('release')).toHaveLength(1);
  });

  it('releases at the end of an await using block', async () => {
    {
      await using lease = await locks.createLock('a').acquire();
      expect(lease.isHeld).toBe(true);
    }
    expect((await backend.service.inspect('a')).view.state).toBe('free');
  });

  it('rejects with LockNotAcquiredError that names the holder when its time is over', async () => {
    await rivals.createLock('a', { holder: 'the other' }).lock();
    const waiting = locks.createLock('a').acquire({ waitMs: 700 });
    const error = await inFakeTime(waiting.catch((reason: unknown) => reason));
    expect(error).toBeInstanceOf(LockNotAcquiredError);
    expect(error).toMatchObject({ code: 'lock-not-acquired', lockId: 'a', holder: 'the other' });
  });
});

describe('withLock', () => {
  it('attaches the failed release to the error of the body', async () => {
    const error = new Error('of the body') as Error & { releaseError?: Error };
    const failing = locks.withLock('a', async ({ fencingToken }) => {
      await backend.service.break({ lockId: 'a', fencingToken });
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    expect(error.releaseError).toBeInstanceOf(LeaseLostError);
  });

  it('gives the result and warns when the release got no answer, and stops renewing', async () => {
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    backend.fault = ({ operation }) => (operation === 'release' ? 'lost-request' : undefined);
    expect(await inFakeTime(locks.withLock('a', () => 'done'))).toBe('done');
    expect(warnings).toHaveBeenCalledWith(
      expect.any(String),
      expect.objectContaining({ code: 'holdfast-release-failed' }),
    );
    await jest.advanceTimersByTimeAsync(60_000);
    expect(backend.callsOf('renew')).toEqual([]);
    expect((await backend.service.inspect('a')).view.state).toBe('over');
    warnings.mockRestore();
  });

  it('needs a function', async () => {
    await expect(locks.withLock('a', {}, undefined as never)).rejects.toThrow(IllegalArgumentError);
  });
});

describe('what a lock shows', () => {
  it('tells unlocked from locked as text, and never shows the owner token', async () => {
    const lock = locks.createLock('a');
    expect(String(lock)).toContain('unlocked');
    await lock.lock();
    const lease = await locks.createLock('b').acquire();
    expect(String(lock)).toContain(`fencing token ${lock.fencingToken}`);
    const shown = [lock, lease, locks].map(
      (value) => `${value}${JSON.stringify(value)}${inspect(value, { depth: null, showHidden: true })}`,
    );
    for (const { ownerToken } of backend.calls) expect(shown.join()).not.toContain(ownerToken);
    expect(JSON.parse(JSON.stringify(lease))).toEqual({
      lockId: 'b',
      fencingToken: lease.fencingToken,
      remainingMs: expect.any(Number),
    });
  });

  it('warns when a flow waits for the very handle that holds', async () => {
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const lock = locks.createLock('a');
    await lock.lock();
    const waiting = lock.lock();
    await jest.advanceTimersByTimeAsync(4_900);
    expect(warnings).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(200);
    expect(warnings).toHaveBeenCalledWith(
      expect.stringContaining('"a"'),
      expect.objectContaining({ code: 'holdfast-waiting-for-own-handle' }),
    );
    await lock.unlock();
    await inFakeTime(waiting, 1_000);
    expect(lock.isHeld).toBe(true);
    warnings.mockRestore();
  });
});

describe('arguments', () => {
  it.each([
    { leaseMs: 999 },
    { leaseMs: 0 },
    { leaseMs: -1 },
    { leaseMs: Number.NaN },
    { leaseMs: 1_000.5 },
    { leaseMs: 86_400_001 },
    { leaseMs: null },
    { waitMs: -1 },
    { waitMs: Number.NaN },
    { waitMs: Number.POSITIVE_INFINITY },
    { maxHoldMs: 0 },
    { maxHoldMs: Number.NaN },
    { holder: '' },
    { holder: 'a\nb' },
    { holder: 'x'.repeat(257) },
    { signal: {} },
    { leaseMS: 5_000 },
  ])('refuses the option %p before any request', async (options) => {
    await expect(locks.createLock('a').acquire(options as object)).rejects.toThrow(IllegalArgumentError);
    await expect(locks.withLock('a', options as object, () => 1)).rejects.toThrow(IllegalArgumentError);
    expect(backend.calls).toEqual([]);
  });
});

describe('a handle whose unlock failed', () => {
  const failed: Record<string, Fault> = {
    'an unknown outcome': unanswered(),
    throttling: { kind: 'throttled', error: new LockServiceError('slow down', { outcomeUnknown: false }) },
  };

  it.each(Object.entries(failed))(
    'with %s has one hold to unlock once it holds the lock again',
    async (_what, fault) => {
      const lock = locks.createLock('a');
      await lock.lock();
      backend.fault = ({ operation }) => (operation === 'release' ? fault : undefined);
      await expect(inFakeTime(lock.unlock())).rejects.toThrow(LockServiceError);
      backend.fault = () => undefined;
      await inFakeTime(lock.lock());
      await lock.unlock();
      expect(lock.isHeld).toBe(false);
      expect(await rivals.createLock('a').tryLock()).toBe(true);
      await expect(lock.unlock()).rejects.toThrow(IllegalMonitorStateError);
    },
  );
});
