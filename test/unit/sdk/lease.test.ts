import { elapsedMs, type Moment } from '../../../sdk/clocks.ts';
import {
  ForbiddenError,
  IllegalMonitorStateError,
  LeaseLostError,
  LockFactory,
  LockServiceError,
} from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { ServiceBackend } from '../../support/service-backend.ts';

let backend: ServiceBackend;
let locks: LockFactory;
// The locks of another process.
let rivals: LockFactory;
// What a test adds to each clock, milliseconds.
let skew: Moment;

const clocks = {
  now: () => ({ monotonicMs: performance.now() + skew.monotonicMs, wallMs: Date.now() + skew.wallMs }),
};

beforeEach(() => {
  jest.useFakeTimers();
  skew = { monotonicMs: 0, wallMs: 0 };
  backend = new ServiceBackend();
  locks = new LockFactory(backend, { clocks, random: () => 0.5, leaseMs: 30_000 });
  rivals = new LockFactory(backend, { random: () => 0.5 });
});

afterEach(() => jest.useRealTimers());

const acquire = (options = {}) => locks.createLock('a').acquire(options);
const state = async () => (await backend.service.inspect('a')).view.state;

describe('renewal', () => {
  it('keeps a lease alive over many of its lengths, renewing at a third', async () => {
    const lease = await acquire();
    await jest.advanceTimersByTimeAsync(9_999);
    expect(backend.callsOf('renew')).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(backend.callsOf('renew')).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(290_000);
    expect(lease.isHeld).toBe(true);
    expect(await state()).toBe('held');
    expect(backend.callsOf('renew')).toHaveLength(30);
  });

  it('waits for an answer no longer than a sixth of the lease, and never longer than 5 s', async () => {
    await acquire({ leaseMs: 6_000 });
    await locks.createLock('b').acquire({ leaseMs: 3_600_000 });
    await jest.advanceTimersByTimeAsync(1_200_000);
    const timeouts = new Set(backend.callsOf('renew').map(({ lockId, timeoutMs }) => `${lockId} ${timeoutMs}`));
    expect([...timeouts].sort()).toEqual(['a 1000', 'b 5000']);
  });

  it('of many leases that are due at once is sent 250 at a time, and counts from when it was sent', async () => {
    const leases = await Promise.all(
      Array.from({ length: 600 }, (_, number) => locks.createLock(`many/${number}`).acquire()),
    );
    backend.replyMs = 400;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(backend.callsOf('renew')).toHaveLength(250);
    await jest.advanceTimersByTimeAsync(399);
    expect(backend.callsOf('renew')).toHaveLength(250);
    await jest.advanceTimersByTimeAsync(1);
    expect(backend.callsOf('renew')).toHaveLength(500);
    await jest.advanceTimersByTimeAsync(400);
    expect(backend.callsOf('renew')).toHaveLength(600);
    await jest.advanceTimersByTimeAsync(400);
    // 30 s less a thousandth from its sending, less what passed since.
    expect(leases.at(0)?.remainingMs).toBe(30_000 - 30 - 1_200);
    expect(leases.at(-1)?.remainingMs).toBe(30_000 - 30 - 400);
  });

  it('waits no longer than a quarter of what it has left for others that get no answers', async () => {
    await Promise.all(Array.from({ length: 2_000 }, (_, number) => locks.createLock(`many/${number}`).acquire()));
    backend.fault = ({ operation, lockId }) => (operation === 'renew' && lockId !== 'a' ? 'silence' : undefined);
    await jest.advanceTimersByTimeAsync(9_500);
    const lease = await acquire({ leaseMs: 1_500 });
    await jest.advanceTimersByTimeAsync(15_000);
    expect(lease.isHeld).toBe(true);
    await lease.release();
  });

  it('gets through in time although one in twenty gets no answer', async () => {
    const leases = await Promise.all(
      Array.from({ length: 2_000 }, (_, number) => locks.createLock(`many/${number}`).acquire()),
    );
    backend.replyMs = 20;
    backend.fault = ({ operation }, index) => (operation === 'renew' && index % 20 === 0 ? 'silence' : undefined);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(leases.filter(({ isHeld }) => isHeld)).toHaveLength(2_000);
  });

  it('that waits for its turn is not sent once a release was tried, which failed', async () => {
    const leases = await Promise.all(
      Array.from({ length: 251 }, (_, number) => locks.createLock(`many/${number}`).acquire()),
    );
    backend.replyMs = 900;
    const error = new ForbiddenError('no');
    backend.fault = ({ operation }) => (operation === 'release' ? { kind: 'refused', error } : undefined);
    await jest.advanceTimersByTimeAsync(10_000);
    const told = expect(leases.at(-1)?.release()).rejects.toBeInstanceOf(ForbiddenError);
    await jest.advanceTimersByTimeAsync(20_000);
    await told;
    expect(backend.callsOf('renew').filter(({ lockId }) => lockId === 'many/250')).toEqual([]);
  });

  it('that waits for its turn is not sent once its lease was given back or is over', async () => {
    const leases = await Promise.all(
      Array.from({ length: 252 }, (_, number) => locks.createLock(`many/${number}`).acquire()),
    );
    backend.fault = ({ operation }) => (operation === 'renew' ? 'silence' : undefined);
    await jest.advanceTimersByTimeAsync(10_000);
    await inFakeTime(leases[250]?.release() ?? Promise.reject());
    await jest.advanceTimersByTimeAsync(120_000);
    expect(leases.some(({ isHeld }) => isHeld)).toBe(false);
    expect(backend.callsOf('renew').filter(({ lockId }) => lockId === 'many/250')).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each(['lost-request', 'lost-reply', 'throttled'] as const)('survives a %s', async (kind) => {
    const fault = kind === 'throttled' ? throttled : kind;
    backend.fault = ({ operation }, index) => (operation === 'renew' && index < 3 ? fault : undefined);
    const lease = await acquire();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(lease.isHeld).toBe(true);
    await lease.release();
    expect(await state()).toBe('free');
  });

  it('forgets what failed before the last success: the next failure is tried again as soon as a first one', async () => {
    const lease = await acquire();
    const sentAt: number[] = [];
    // Four failures, a success, one failure, a success.
    const fails = [true, true, true, true, false, true, false];
    backend.fault = ({ operation }) => {
      if (operation !== 'renew') return undefined;
      sentAt.push(performance.now());
      return fails[sentAt.length - 1] ? 'lost-request' : undefined;
    };
    await jest.advanceTimersByTimeAsync(25_000);
    const pauses = sentAt.map((at, index) => at - (sentAt[index - 1] ?? at));
    expect(pauses[6]).toBe(pauses[1]);
    expect(pauses[6]).toBeLessThan(pauses[4] ?? 0);
    skew = { monotonicMs: 60_000, wallMs: 0 };
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.reason).toMatchObject({ reason: 'expired' });
  });

  it('of one lock that fails does not touch another', async () => {
    backend.fault = ({ operation, lockId }) => (operation === 'renew' && lockId === 'a' ? 'lost-request' : undefined);
    const failing = await acquire();
    const other = await locks.createLock('b').acquire();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([failing.isHeld, other.isHeld]).toEqual([false, true]);
  });

  it('does not happen any more once a release was sent, nor does its late answer bring the lease back', async () => {
    const lease = await acquire();
    backend.replyMs = 2_000;
    await jest.advanceTimersByTimeAsync(10_500);
    expect(backend.callsOf('renew')).toHaveLength(1);
    const released = lease.release();
    await jest.advanceTimersByTimeAsync(100_000);
    await released;
    expect(backend.callsOf('renew')).toHaveLength(1);
    expect(lease.isHeld).toBe(false);
    expect(await state()).toBe('free');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not happen while a release is tried, however long that takes', async () => {
    const lease = await acquire({ leaseMs: 6_000 });
    backend.fault = ({ operation }, index) => (operation === 'release' && index === 0 ? 'silence' : undefined);
    const startedAt = performance.now();
    await inFakeTime(lease.release());
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    expect(backend.callsOf('renew')).toEqual([]);
  });

  it('is refused by hand while a release is tried', async () => {
    const lease = await acquire();
    backend.fault = ({ operation }, index) => (operation === 'release' && index === 0 ? 'silence' : undefined);
    const released = lease.release();
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(lease.renew()).rejects.toThrow(IllegalMonitorStateError);
    await inFakeTime(released);
    expect(backend.callsOf('renew')).toEqual([]);
  });

  it('can be asked for by hand, and its failure is told while the lease is still held', async () => {
    const lease = await acquire();
    await jest.advanceTimersByTimeAsync(5_000);
    await lease.renew();
    expect(lease.remainingMs).toBe(29_970);
    backend.fault = ({ operation }) => (operation === 'renew' ? 'lost-request' : undefined);
    await expect(lease.renew()).rejects.toThrow(LockServiceError);
    expect(lease.isHeld).toBe(true);
    backend.fault = ({ operation }) => (operation === 'renew' ? { kind: 'released' } : undefined);
    await expect(lease.renew()).rejects.toThrow(LockServiceError);
    expect(lease.isHeld).toBe(true);
  });
});

describe('the deadline', () => {
  it('counts from before the request was sent, less a thousandth', async () => {
    backend.replyMs = 4_000;
    const lease = await inFakeTime(acquire());
    expect(lease.remainingMs).toBe(30_000 * 0.999 - 4_000);
  });

  it('counts from before the renewal was sent', async () => {
    const lease = await acquire({ leaseMs: 20_000 });
    backend.replyMs = 1_000;
    await inFakeTime(lease.renew());
    expect(lease.remainingMs).toBe(20_000 * 0.999 - 1_000);
  });

  it('is not brought nearer by the answer to an older renewal that comes in late', async () => {
    const lease = await acquire();
    backend.replyMs = 4_000;
    const older = lease.renew();
    await jest.advanceTimersByTimeAsync(1_000);
    backend.replyMs = 500;
    await inFakeTime(lease.renew());
    expect(lease.remainingMs).toBe(30_000 * 0.999 - 500);
    await inFakeTime(older);
    expect(lease.remainingMs).toBe(30_000 * 0.999 - 3_000);
  });

  it('counts from before the renewal was sent that confirms a grant after waiting', async () => {
    const rival = rivals.createLock('a');
    await rival.lock();
    const waiting = acquire({ leaseMs: 20_000 });
    await jest.advanceTimersByTimeAsync(1_000);
    backend.replyMs = 500;
    const [lease] = await inFakeTime(Promise.all([waiting, rival.unlock()]));
    expect(lease.remainingMs).toBeLessThanOrEqual(20_000 * 0.999 - 500);
    expect(lease.remainingMs).toBeGreaterThan(20_000 * 0.999 - 600);
  });

  it('aborts the signal when it passes without any answer, needing no reply', async () => {
    const lease = await acquire();
    const aborted = jest.fn();
    lease.signal.addEventListener('abort', aborted);
    backend.fault = () => 'silence';
    await jest.advanceTimersByTimeAsync(29_969);
    expect(aborted).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(aborted).toHaveBeenCalledTimes(1);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(lease.signal.reason.reason).toBe('unreachable');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(aborted).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['wall', { monotonicMs: 0, wallMs: 30_000 }],
    ['monotonic', { monotonicMs: 30_000, wallMs: 0 }],
  ])('is believed from the %s clock when that says more time has passed, at the first look', async (_clock, jump) => {
    const looks = [
      () => locks.createLock('a').acquire(),
      () => locks.createLock('b').acquire(),
      () => locks.createLock('c').acquire(),
      () => locks.createLock('d').acquire(),
      () => locks.createLock('e').acquire(),
    ];
    const [one, two, three, four, five] = await Promise.all(looks.map((look) => look()));
    skew = jump;
    expect(one?.isHeld).toBe(false);
    expect(two?.remainingMs).toBe(0);
    expect(() => three?.assertHeld()).toThrow(LeaseLostError);
    expect(four?.signal.aborted).toBe(true);
    const signal = five?.signal;
    expect(five?.fencingToken).toBeGreaterThan(0);
    expect(signal?.reason).toMatchObject({ reason: 'expired' });
  });

  it('is not moved by a wall clock that is set back', async () => {
    const lease = await acquire();
    backend.fault = () => 'lost-request';
    skew = { monotonicMs: 0, wallMs: -3_600_000 };
    await jest.advanceTimersByTimeAsync(30_000);
    expect(lease.isHeld).toBe(false);
  });

  it('is never renewed past: a process that thaws sends nothing', async () => {
    const lease = await acquire();
    skew = { monotonicMs: 31_000, wallMs: 31_000 };
    await jest.advanceTimersByTimeAsync(60_000);
    expect(lease.isHeld).toBe(false);
    expect(backend.callsOf('renew')).toEqual([]);
  });

  it('stands although the answer to a renewal comes in after it', async () => {
    const lease = await acquire({ leaseMs: 10_000 });
    backend.fault = ({ operation }) => (operation === 'renew' ? 'lost-request' : undefined);
    await jest.advanceTimersByTimeAsync(9_000);
    backend.fault = () => undefined;
    backend.replyMs = 1_500;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.reason).toMatchObject({ reason: 'unreachable' });
  });

  it('stands although the answer to an earlier renewal is what a process first hears when it thaws', async () => {
    const lease = await acquire({ leaseMs: 10_000 });
    backend.replyMs = 1_000;
    await jest.advanceTimersByTimeAsync(4_000);
    expect(backend.callsOf('renew')).toHaveLength(1);
    skew = { monotonicMs: 7_000, wallMs: 7_000 };
    await jest.advanceTimersByTimeAsync(500);
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.reason).toMatchObject({ reason: 'expired' });
  });

  it('of a hold comes with maxHoldMs, however often the lease was renewed', async () => {
    const lease = await acquire({ maxHoldMs: 100_000 });
    await jest.advanceTimersByTimeAsync(99_999);
    expect(lease.isHeld).toBe(true);
    await jest.advanceTimersByTimeAsync(1);
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.reason).toMatchObject({ reason: 'max-hold' });
    await jest.advanceTimersByTimeAsync(31_000);
    expect(await state()).toBe('over');
  });
});

describe('a lease that is lost', () => {
  it('tells that an administrator broke it, at the next renewal', async () => {
    const lease = await acquire();
    await backend.service.break({ lockId: 'a', fencingToken: lease.fencingToken });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(lease.signal.reason).toMatchObject({ code: 'lease-lost', reason: 'broken', lockId: 'a' });
  });

  it('rejects its release at once and without a request, and leaves the successor alone', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    backend.fault = ({ operation }) => (operation === 'renew' ? 'lost-request' : undefined);
    await jest.advanceTimersByTimeAsync(31_000);
    const rival = rivals.createLock('a');
    expect(await rival.tryLock()).toBe(true);
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'lease-lost', reason: 'unreachable' });
    expect(backend.callsOf('release')).toEqual([]);
    expect(rival.isHeld).toBe(true);
  });

  it('stays on the handle until one unlock has rejected with it, and that does not touch a newer hold', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    await backend.service.break({ lockId: 'a', fencingToken: lock.fencingToken ?? 0 });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(lock.isHeld).toBe(false);
    expect(lock.signal?.aborted).toBe(true);
    await lock.lock();
    await expect(lock.unlock()).rejects.toThrow(LeaseLostError);
    expect(lock.isHeld).toBe(true);
    await lock.unlock();
    expect(await state()).toBe('free');
  });

  it('rejects an unlock that finds it superseded, without touching the rival', async () => {
    const lock = locks.createLock('a', { leaseMs: 5_000 });
    await lock.lock();
    await backend.service.break({ lockId: 'a', fencingToken: lock.fencingToken ?? 0 });
    const rival = rivals.createLock('a');
    await rival.lock();
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'lease-lost', reason: 'broken' });
    expect(rival.isHeld).toBe(true);
    expect(await state()).toBe('held');
  });
});

describe('release', () => {
  it('succeeds when the reply of the first attempt is lost', async () => {
    const lease = await acquire();
    backend.fault = ({ operation }, index) => (operation === 'release' && index === 0 ? 'lost-reply' : undefined);
    await inFakeTime(lease.release());
    expect(backend.callsOf('release')).toHaveLength(2);
  });

  it('succeeds when a repeat after a lost reply finds another holder', async () => {
    const lease = await acquire();
    backend.fault = ({ operation }, index) => (operation === 'release' && index === 0 ? 'lost-reply' : undefined);
    const releasing = lease.release();
    await backend.service.try({
      lockId: 'a',
      ownerToken: 'r'.repeat(22),
      leaseMs: 30_000,
      identity: { principal: 'rival' },
    });
    await backend.service.release({ lockId: 'a', ownerToken: 'r'.repeat(22) });
    await expect(inFakeTime(releasing)).resolves.toBeUndefined();
  });

  it('rejects after 5 s without an answer, holds nothing any more, and may be tried again', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    backend.fault = () => 'lost-request';
    const startedAt = performance.now();
    const failed = inFakeTime(lock.unlock().catch((error: unknown) => error));
    expect(await failed).toMatchObject({ code: 'lock-service', outcomeUnknown: true });
    expect(performance.now() - startedAt).toBeLessThanOrEqual(5_000);
    expect(lock.isHeld).toBe(false);
    backend.fault = () => undefined;
    await lock.unlock();
    expect(await state()).toBe('free');
  });

  it('that was applied unheard holds nothing any more, although what followed never reached the service', async () => {
    const lease = await acquire();
    const error = new LockServiceError('ECONNREFUSED', { outcomeUnknown: false });
    backend.fault = ({ operation }, index) => {
      if (operation !== 'release') return undefined;
      return index === 0 ? 'lost-reply' : { kind: 'unknown', answered: false, error };
    };
    const failed = await inFakeTime(lease.release().catch((reason: unknown) => reason));
    expect(failed).toMatchObject({ code: 'lock-service', outcomeUnknown: true, cause: error });
    expect(lease.isHeld).toBe(false);
    expect(() => lease.assertHeld()).toThrow(IllegalMonitorStateError);
    expect(await state()).toBe('free');
  });

  it.each([
    ['a grant', { kind: 'granted', fencingToken: 7, leaseMs: 30_000, provisional: false, waiters: 0 }],
    ['a lock that is held', { kind: 'held', holder: undefined, expiresInMs: 0, retryAfterMs: 0 }],
    ['a token that is spent', { kind: 'spent' }],
  ] as const)('that is answered with %s may have been applied: nothing is held any more', async (_, answer) => {
    const lease = await acquire();
    backend.fault = ({ operation }) => (operation === 'release' ? answer : undefined);
    const failed = await inFakeTime(lease.release().catch((reason: unknown) => reason));
    expect(failed).toMatchObject({ code: 'lock-service', outcomeUnknown: true });
    expect(lease.isHeld).toBe(false);
    backend.fault = () => undefined;
    await lease.release();
    expect(await state()).toBe('free');
  });

  it('that is refused surfaces its error, and the lock is still held until it is tried again', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    const error = new ForbiddenError('no');
    backend.fault = ({ operation }) => (operation === 'release' ? { kind: 'refused', error } : undefined);
    await expect(lock.unlock()).rejects.toBe(error);
    expect(lock.isHeld).toBe(true);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lock.isHeld).toBe(true);
    backend.fault = () => undefined;
    await lock.unlock();
    expect(await state()).toBe('free');
  });

  it('that failed and is not tried again frees the lock after one lease, for nothing renews it', async () => {
    const failed = (async () => {
      await using lease = await acquire();
      backend.fault = ({ operation }) => (operation === 'release' ? throttled : undefined);
      return lease;
    })();
    await expect(inFakeTime(failed)).rejects.toThrow(LockServiceError);
    backend.fault = () => undefined;
    await inFakeTime(rivals.createLock('a').lock(), 31_000);
    expect(backend.callsOf('renew').filter(({ leaseMs }) => leaseMs === 30_000)).toHaveLength(1);
  });

  it('that failed and was renewed by hand is held on, and not renewed by itself again', async () => {
    const lease = await acquire();
    backend.fault = ({ operation }) => (operation === 'release' ? throttled : undefined);
    await expect(inFakeTime(lease.release())).rejects.toThrow(LockServiceError);
    await lease.renew();
    expect(lease.remainingMs).toBeGreaterThan(29_900);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(backend.callsOf('renew')).toHaveLength(1);
    expect(() => lease.assertHeld()).toThrow(LeaseLostError);
  });

  it('that is lost just before the bound of the hold is tried again after it', async () => {
    const lease = await acquire({ maxHoldMs: 300 });
    await jest.advanceTimersByTimeAsync(290);
    backend.fault = ({ operation }, index) => (operation === 'release' && index === 0 ? 'lost-request' : undefined);
    await inFakeTime(lease.release());
    expect(await state()).toBe('free');
  });

  it('that was only throttled keeps the lock held', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    backend.fault = ({ operation }) => (operation === 'release' ? throttled : undefined);
    expect(await inFakeTime(lock.unlock().catch((error: unknown) => error))).toMatchObject({
      outcomeUnknown: false,
    });
    expect(lock.isHeld).toBe(true);
  });

  it('called twice at once sends one request', async () => {
    const lease = await acquire();
    await Promise.all([lease.release(), lease.release()]);
    expect(backend.callsOf('release')).toHaveLength(1);
  });

  it('leaves no timer behind', async () => {
    await (await acquire()).release();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('dispose', () => {
  it('refuses new acquires and ends waits, and waits for an unlock that comes in time', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    const waiting = expect(locks.createLock('a').lock()).rejects.toMatchObject({ code: 'interrupted' });
    await jest.advanceTimersByTimeAsync(100);
    const disposed = locks.dispose();
    await jest.advanceTimersByTimeAsync(1_000);
    await waiting;
    await expect(locks.createLock('b').tryLock()).rejects.toMatchObject({ code: 'interrupted' });
    await lock.unlock();
    expect(await inFakeTime(disposed, 30_000)).toEqual([]);
    expect(await state()).toBe('free');
  });

  it('releases what is still held after its time-out and reports the ids', async () => {
    await acquire();
    const startedAt = performance.now();
    expect(await inFakeTime(locks.dispose({ timeoutMs: 2_000 }))).toEqual(['a']);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2_000);
    expect(await state()).toBe('free');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives thousands of locks back a hundred at a time, each told at once that its lease is lost', async () => {
    const leases = await Promise.all(
      Array.from({ length: 250 }, (_, number) => locks.createLock(`many/${number}`).acquire()),
    );
    backend.replyMs = 50;
    const disposed = locks.dispose({ timeoutMs: 0 });
    await jest.advanceTimersByTimeAsync(0);
    expect(leases.every(({ signal }) => signal.aborted)).toBe(true);
    expect(backend.releases).toHaveLength(100);
    await jest.advanceTimersByTimeAsync(49);
    expect(backend.releases).toHaveLength(100);
    await jest.advanceTimersByTimeAsync(1);
    expect(backend.releases).toHaveLength(200);
    expect(await inFakeTime(disposed)).toHaveLength(250);
    expect(backend.releases).toHaveLength(250);
    for (const { lockId } of leases) expect((await backend.service.inspect(lockId)).view.state).toBe('free');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('takes no longer than 25 s over thousands of locks of a service that says nothing', async () => {
    await Promise.all(Array.from({ length: 1_000 }, (_, number) => locks.createLock(`many/${number}`).acquire()));
    backend.fault = ({ operation }) => (operation === 'release' ? 'silence' : undefined);
    const startedAt = performance.now();
    expect(await inFakeTime(locks.dispose({ timeoutMs: 0 }))).toHaveLength(1_000);
    expect(performance.now() - startedAt).toBeLessThanOrEqual(25_050);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('tells whoever works on that the lease is lost, before another has the lock', async () => {
    let seen: unknown;
    const working = locks.withLock('a', async ({ signal }) => {
      signal.addEventListener('abort', async () => {
        seen = [signal.reason, await state()];
      });
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    });
    const lock = locks.createLock('b');
    await lock.lock();
    const told = expect(working).rejects.toMatchObject({ code: 'lease-lost', reason: 'disposed' });
    expect(await inFakeTime(locks.dispose({ timeoutMs: 100 }))).toEqual(['a', 'b']);
    expect(seen).toEqual([expect.any(LeaseLostError), 'held']);
    expect(await rivals.createLock('a').tryLock()).toBe(true);
    await inFakeTime(told);
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'lease-lost', reason: 'disposed' });
  });

  it('leaves an unlock that is under way to end by itself', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    backend.replyMs = 500;
    const unlocked = lock.unlock();
    expect(await inFakeTime(locks.dispose({ timeoutMs: 100 }))).toEqual(['a']);
    await unlocked;
    expect(await state()).toBe('free');
  });

  it('called twice keeps both calls no longer than the leases last', async () => {
    const lease = await acquire();
    const both = Promise.all([locks.dispose({ timeoutMs: 10_000 }), locks.dispose({ timeoutMs: 9_000 })]);
    await jest.advanceTimersByTimeAsync(100);
    await lease.release();
    expect(await inFakeTime(both, 1_000)).toEqual([[], []]);
  });
});

it('measures time by the clock that says more has passed', () => {
  const since = { monotonicMs: 100, wallMs: 1_000 };
  const at = (now: Moment) => elapsedMs(since, { now: () => now });
  expect(at({ monotonicMs: 110, wallMs: 1_030 })).toBe(30);
  expect(at({ monotonicMs: 130, wallMs: 1_010 })).toBe(30);
  expect(at({ monotonicMs: 130, wallMs: 0 })).toBe(30);
});

const throttled = {
  kind: 'throttled' as const,
  error: new LockServiceError('too many requests', { outcomeUnknown: false }),
};
