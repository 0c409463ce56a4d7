import {
  ForbiddenError,
  IllegalArgumentError,
  LeaseLostError,
  LockFactory,
  LockNotAcquiredError,
  LockServiceError,
} from '../../../sdk/index.ts';
import type { Lease } from '../../../sdk/lease.ts';
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

const acquire = (options = {}): Promise<Lease> => locks.createLock('a').acquire(options);
const view = async () => (await backend.service.inspect('a')).view;
const operations = () => backend.calls.map(({ operation }) => operation);
const settle = () => jest.advanceTimersByTimeAsync(0);
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('flows of one process that want one lock', () => {
  it('wait without requests, and get it from each other in one write each, first come first served', async () => {
    const first = await acquire();
    const order: number[] = [];
    const others = [1, 2, 3].map(async (who) => {
      const lease = await acquire();
      order.push(who);
      return lease;
    });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(operations()).toEqual(['try']);
    const fences = [first.fencingToken];
    await first.release();
    for (const other of others) {
      const lease = await inFakeTime(other, 100);
      fences.push(lease.fencingToken);
      expect(await view()).toMatchObject({ state: 'held', fencingToken: lease.fencingToken, waiters: 0 });
      await lease.release();
    }
    expect(order).toEqual([1, 2, 3]);
    expect(operations()).toEqual(['try', 'release', 'release', 'release', 'release']);
    expect(fences).toEqual([0, 1, 2, 3].map((more) => first.fencingToken + more));
    expect((await view()).state).toBe('free');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('give an heir the lease that it asked for, counted from before the release was sent', async () => {
    const first = await acquire({ leaseMs: 60_000, holder: 'first' });
    const heir = acquire({ leaseMs: 5_000, holder: 'heir' });
    backend.replyMs = 1_000;
    await inFakeTime(first.release());
    const lease = await heir;
    expect(lease.remainingMs).toBeLessThanOrEqual(5_000 * 0.999 - 1_000);
    expect(await view()).toMatchObject({ holder: 'heir' });
  });

  it('answer tryLock false without a request while one of them holds the lock or waits', async () => {
    await rivals.createLock('a').lock();
    const waiting = reasonOf(acquire({ waitMs: 5_000 }));
    await settle();
    const before = backend.calls.length;
    const askedAt = performance.now();
    expect(await inFakeTime(locks.createLock('a').tryLock())).toBe(false);
    expect(performance.now() - askedAt).toBeLessThan(100);
    expect(backend.calls).toHaveLength(before);
    expect(await inFakeTime(waiting)).toBeInstanceOf(LockNotAcquiredError);
    expect(await locks.createLock('a').tryLock()).toBe(false);
    expect(backend.callsOf('try')).toHaveLength(3);
  });

  it('hand the lock to another process that stands in line, and the next of them joins the tail', async () => {
    const first = await acquire();
    const rival = rivals.createLock('a').acquire();
    await jest.advanceTimersByTimeAsync(100);
    const next = acquire();
    await jest.advanceTimersByTimeAsync(100);
    await first.release();
    const rivalLease = await inFakeTime(rival, 1_000);
    await jest.advanceTimersByTimeAsync(500);
    expect(await view()).toMatchObject({ state: 'held', waiters: 1 });
    await rivalLease.release();
    const lease = await inFakeTime(next, 1_000);
    expect(lease.fencingToken).toBe(first.fencingToken + 2);
  });

  it('keep their place in the line of the service when the first of them gives up', async () => {
    const holder = await rivals.createLock('a').acquire();
    const abort = new AbortController();
    const first = reasonOf(acquire({ signal: abort.signal }));
    const second = acquire();
    await jest.advanceTimersByTimeAsync(100);
    const behind = new LockFactory(backend).createLock('a').acquire();
    await jest.advanceTimersByTimeAsync(100);
    expect(await view()).toMatchObject({ waiters: 2 });
    abort.abort();
    await settle();
    expect(await first).toMatchObject({ code: 'interrupted' });
    expect(await view()).toMatchObject({ waiters: 2 });
    await holder.release();
    const lease = await inFakeTime(second, 1_000);
    expect(backend.callsOf('release')).toHaveLength(1);
    await lease.release();
    await inFakeTime(behind, 1_000);
  });

  it('leave the line of the service when the last of them gives up', async () => {
    await rivals.createLock('a').lock();
    const aborts = [new AbortController(), new AbortController()];
    const waiting = aborts.map(({ signal }) => reasonOf(acquire({ signal })));
    await jest.advanceTimersByTimeAsync(100);
    for (const abort of aborts) abort.abort();
    await settle();
    expect(await view()).toMatchObject({ waiters: 0 });
    for (const each of waiting) expect(await each).toMatchObject({ code: 'interrupted' });
  });

  it('end their own time while they wait for each other, without a request', async () => {
    await acquire({ holder: 'first' });
    const error = await inFakeTime(reasonOf(acquire({ waitMs: 1_000 })));
    expect(error).toMatchObject({ code: 'lock-not-acquired', holder: 'first' });
    expect((error as LockNotAcquiredError).expiresInMs).toBeGreaterThan(28_000);
    expect(operations()).toEqual(['try']);
  });

  it('go on when the holder among them loses its lease', async () => {
    const first = await acquire({ leaseMs: 3_000 });
    const next = acquire();
    backend.fault = ({ operation }) => (operation === 'renew' ? 'lost-request' : undefined);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(first.signal.reason).toBeInstanceOf(LeaseLostError);
    backend.fault = () => undefined;
    const lease = await inFakeTime(next, 2_000);
    expect(lease.fencingToken).toBe(first.fencingToken + 1);
  });

  it('share an unknown outcome with nobody: one that fails leaves the others waiting', async () => {
    const refused = new LockServiceError('no', { outcomeUnknown: false });
    backend.fault = ({ operation }, index) =>
      operation === 'try' && index === 0 ? { kind: 'refused', error: refused } : undefined;
    const [first, second] = [reasonOf(acquire()), acquire()];
    expect(await first).toBe(refused);
    expect((await inFakeTime(second)).isHeld).toBe(true);
  });
});

describe('a grant that was asked for by a flow that is gone', () => {
  it('is given back, and the next asks for its own', async () => {
    const abort = new AbortController();
    backend.replyMs = 500;
    const gone = reasonOf(acquire({ leaseMs: 3_600_000, holder: 'gone', signal: abort.signal }));
    const next = acquire({ leaseMs: 5_000, holder: 'next' });
    await settle();
    abort.abort();
    backend.replyMs = 0;
    const lease = await inFakeTime(next, 10_000);
    await gone;
    expect(await view()).toMatchObject({ holder: 'next', fencingToken: lease.fencingToken });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(lease.isHeld).toBe(true);
    expect(backend.callsOf('renew').length).toBeLessThan(10);
  });
});

it('flows behind the first learn who holds the lock, not who held it last', async () => {
  await (await acquire({ holder: 'mine' })).release();
  await rivals.createLock('a', { holder: 'other' }).lock();
  void reasonOf(acquire());
  const behind = reasonOf(acquire({ waitMs: 1_000 }));
  expect(await inFakeTime(behind)).toMatchObject({ code: 'lock-not-acquired', holder: 'other' });
});

it('a wait that joined only after its release had found nothing leaves the line all the same', async () => {
  await rivals.createLock('a').lock();
  const abort = new AbortController();
  let join: () => void = () => undefined;
  const acquireOf = backend.acquire.bind(backend);
  backend.acquire = (request, timeoutMs) =>
    new Promise((resolve) => {
      join = () => void acquireOf({ ...request, waitMs: 0 }, timeoutMs).then(resolve);
    });
  const waiting = reasonOf(acquire({ signal: abort.signal }));
  await settle();
  abort.abort();
  await settle();
  expect(await waiting).toMatchObject({ code: 'interrupted' });
  join();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(backend.callsOf('acquire')).toHaveLength(1);
  expect(await view()).toMatchObject({ waiters: 0 });
});

describe('a release with an heir', () => {
  it('whose reply is lost is repeated, and the heir holds', async () => {
    const first = await acquire();
    const next = acquire();
    backend.fault = ({ operation }, index) => (operation === 'release' && index === 0 ? 'lost-reply' : undefined);
    await inFakeTime(first.release());
    const lease = await inFakeTime(next, 1_000);
    expect(lease.fencingToken).toBe(first.fencingToken + 1);
    expect((await view()).fencingToken).toBe(lease.fencingToken);
    expect(operations()).toEqual(['try', 'release', 'release']);
  });

  it('that gets no answer at all leaves the heir to find out whether it holds', async () => {
    const first = await acquire();
    const next = acquire();
    backend.fault = ({ operation }) => (operation === 'release' ? 'lost-reply' : undefined);
    expect(await inFakeTime(reasonOf(first.release()))).toBeInstanceOf(LockServiceError);
    const lease = await inFakeTime(next, 1_000);
    expect(lease.fencingToken).toBe(first.fencingToken + 1);
    backend.fault = () => undefined;
    await lease.release();
    expect((await view()).state).toBe('free');
  });

  it('that gave up meanwhile gives the lock back', async () => {
    const first = await acquire();
    const abort = new AbortController();
    const next = reasonOf(acquire({ signal: abort.signal }));
    backend.replyMs = 500;
    const released = first.release();
    await settle();
    expect((await view()).fencingToken).toBe(first.fencingToken + 1);
    abort.abort();
    await jest.advanceTimersByTimeAsync(5_000);
    await released;
    expect(await next).toMatchObject({ code: 'interrupted' });
    expect((await view()).state).toBe('free');
  });

  it('that gave up after the reply was lost gives the lock back, too', async () => {
    const first = await acquire();
    const abort = new AbortController();
    const next = reasonOf(acquire({ signal: abort.signal }));
    backend.fault = ({ operation }, index) => {
      if (operation !== 'release' || index > 0) return undefined;
      abort.abort();
      return 'lost-reply';
    };
    await inFakeTime(first.release());
    expect(await next).toMatchObject({ code: 'interrupted' });
    await settle();
    expect(await view()).toMatchObject({ state: 'free', fencingToken: first.fencingToken + 1 });
  });

  it('that the service refuses because of the heir is sent again without: the holder gets rid of its lock', async () => {
    const first = await acquire();
    const next = reasonOf(acquire({ leaseMs: 7_200_000 }));
    const error = new IllegalArgumentError('/heir/leaseMs: must be at most 3600000');
    backend.fault = (call) => {
      const tooLong =
        call.operation === 'release'
          ? backend.releases.at(-1)?.heir?.leaseMs === 7_200_000
          : call.leaseMs === 7_200_000;
      return tooLong ? { kind: 'refused', error } : undefined;
    };
    await first.release();
    expect(first.isHeld).toBe(false);
    expect(await inFakeTime(next)).toBe(error);
    expect((await view()).state).toBe('free');
  });

  it('is named by the holder only: an unlock that is repeated after an unknown outcome passes nothing on', async () => {
    const first = await acquire();
    const next = acquire({ leaseMs: 20_000 });
    let isDown = true;
    backend.fault = () => (isDown ? 'lost-request' : undefined);
    expect(await inFakeTime(reasonOf(first.release()))).toMatchObject({ outcomeUnknown: true });
    isDown = false;
    const failed = backend.releases.length;
    await first.release();
    expect(backend.releases.slice(failed)).toHaveLength(1);
    expect(backend.releases.at(-1)?.heir).toBeUndefined();
    expect((await inFakeTime(next, 5_000)).isHeld).toBe(true);
    expect(await view()).toMatchObject({ state: 'held' });
  });

  it('that is gone when the answer comes in leaves the next its own lease and label', async () => {
    const first = await acquire();
    const abort = new AbortController();
    const gone = reasonOf(acquire({ leaseMs: 3_600_000, holder: 'gone', signal: abort.signal }));
    const next = acquire({ leaseMs: 5_000, holder: 'next' });
    backend.replyMs = 500;
    const released = first.release();
    await settle();
    abort.abort();
    backend.replyMs = 0;
    await jest.advanceTimersByTimeAsync(500);
    await released;
    await gone;
    const lease = await inFakeTime(next, 5_000);
    expect(lease.remainingMs).toBeLessThanOrEqual(5_000);
    expect(await view()).toMatchObject({ holder: 'next' });
    expect((await view()).expiresInMs).toBeLessThanOrEqual(5_000);
  });

  it('whose answer comes after the lease of the heir is over begins anew for it', async () => {
    const first = await acquire();
    const next = acquire({ leaseMs: 1_000 });
    backend.replyMs = 1_200;
    const released = first.release();
    await jest.advanceTimersByTimeAsync(1_200);
    await released;
    backend.replyMs = 0;
    const lease = await inFakeTime(next, 5_000);
    expect(lease.isHeld).toBe(true);
    expect((await view()).fencingToken).toBe(lease.fencingToken);
  });
});

it('a factory keeps nothing of locks that it is through with', async () => {
  await rivals.createLock('held').lock();
  for (let round = 0; round < 200; round++) {
    const lock = locks.createLock(`free ${round}`);
    await lock.lock();
    await lock.unlock();
    expect(await locks.createLock('held').tryLock()).toBe(false);
  }
  await rivals.dispose({ timeoutMs: 0 });
  expect(jest.getTimerCount()).toBe(0);
  expect(locks.lineCount).toBe(0);
});

describe('an abort at every turn after the answer to', () => {
  // Aborts so many promise turns after the answer has arrived, while it is on its way to whoever asked.
  const abortTurnsAfter = (operation: 'try' | 'renew', turns: number, abort: AbortController) => {
    const send = backend[operation].bind(backend);
    backend[operation] = async (request, timeoutMs) => {
      const answer = send(request, timeoutMs);
      void answer.then(async () => {
        for (let turn = 0; turn < turns; turn++) await undefined;
        abort.abort();
      });
      return answer;
    };
  };
  const turns = Array.from({ length: 16 }, (_, turn) => turn);

  it.each(turns)('a first attempt leaves nothing held that nobody has: turn %d', async (turn) => {
    const abort = new AbortController();
    abortTurnsAfter('try', turn, abort);
    const outcome = acquire({ signal: abort.signal }).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(2_000);
    if ((await outcome) instanceof Error) expect((await view()).state).toBe('free');
    else expect((await view()).state).toBe('held');
  });

  it.each(turns)('the confirmation of a grant leaves nothing held that nobody has: turn %d', async (turn) => {
    const holder = await rivals.createLock('a').acquire();
    const abort = new AbortController();
    abortTurnsAfter('renew', turn, abort);
    const outcome = acquire({ signal: abort.signal }).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(1_000);
    await holder.release();
    await jest.advanceTimersByTimeAsync(2_000);
    if ((await outcome) instanceof Error) expect((await view()).state).toBe('free');
    else expect((await view()).state).toBe('held');
  });

  it.each(turns)('a first attempt leaves the next flow the lease that it asked for: turn %d', async (turn) => {
    const abort = new AbortController();
    abortTurnsAfter('try', turn, abort);
    const first = acquire({ leaseMs: 3_600_000, signal: abort.signal }).catch((error: unknown) => error);
    const next = acquire({ leaseMs: 5_000 });
    await jest.advanceTimersByTimeAsync(2_000);
    const outcome = await first;
    if (!(outcome instanceof Error)) await (outcome as Lease).release();
    expect((await inFakeTime(next, 5_000)).remainingMs).toBeLessThanOrEqual(5_000);
    expect((await view()).expiresInMs).toBeLessThanOrEqual(5_000);
  });
});

it('flows that come after a lease that nobody saw end stand in one line, in the order in which they came', async () => {
  let blockedMs = 0;
  const clocks = {
    now: () => ({ monotonicMs: performance.now() + blockedMs, wallMs: Date.now() + blockedMs }),
  };
  const blocked = new LockFactory(backend, { clocks, random: () => 0.5 });
  const holder = await blocked.createLock('a').acquire({ leaseMs: 5_000 });
  // The event loop stood still, so no timer has told the line.
  blockedMs = 6_000;
  const order: number[] = [];
  const flows = [1, 2, 3].map(async (who) => {
    const lease = await blocked.createLock('a').acquire();
    order.push(who);
    await lease.release();
  });
  expect(blocked.lineCount).toBe(1);
  await inFakeTime(Promise.all(flows));
  expect(order).toEqual([1, 2, 3]);
  expect(new Set(backend.callsOf('try').map(({ ownerToken }) => ownerToken)).size).toBe(2);
  await expect(holder.release()).rejects.toThrow(LeaseLostError);
});

it('an heir that may have been given the lock before its release was refused finds that out', async () => {
  const first = await acquire({ leaseMs: 30_000 });
  const next = acquire({ leaseMs: 30_000 });
  await settle();
  const refused: Fault = { kind: 'refused', error: new ForbiddenError('not now') };
  backend.fault = ({ operation }, index) => {
    if (operation !== 'release' || index > 1) return;
    return index === 0 ? 'lost-reply' : refused;
  };
  await inFakeTime(first.release());
  const lease = await inFakeTime(next, 2_000);
  expect(lease.fencingToken).toBe(first.fencingToken + 1);
});

it('a flow whose time ends behind one that has had no answer yet is told that another is before it', async () => {
  backend.replyMs = 400;
  const first = locks.createLock('a').lock();
  const behind = locks.createLock('a').tryLock(50);
  expect(await inFakeTime(behind, 200)).toBe(false);
  await inFakeTime(first);
});
