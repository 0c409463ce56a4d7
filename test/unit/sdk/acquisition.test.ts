import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Answer } from '../../../sdk/backend.ts';
import { ForbiddenError, InterruptedError, LockFactory, LockServiceError } from '../../../sdk/index.ts';
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

const failFirst =
  (count: number, fault: Fault) =>
  ({ operation }: { operation: string }, index: number) =>
    operation === 'try' && index < count ? fault : undefined;

const throttled: Fault = { kind: 'throttled', error: new LockServiceError('slow down', { outcomeUnknown: false }) };
const serverError: Fault = {
  kind: 'unknown',
  answered: true,
  error: new LockServiceError('HTTP status 500', { outcomeUnknown: true }),
};
const state = async (lockId = 'a') => (await backend.service.inspect(lockId)).view.state;
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('an acquire whose reply was lost', () => {
  it('is repeated with the same owner token and finds itself holder', async () => {
    backend.fault = failFirst(1, 'lost-reply');
    const lock = locks.createLock('a');
    await inFakeTime(lock.lock());
    const [first, second] = backend.callsOf('try');
    expect(second?.ownerToken).toBe(first?.ownerToken);
    const { view } = await backend.service.inspect('a');
    expect(view.fencingToken).toBe(lock.fencingToken);
    expect(lock.isHeld).toBe(true);
  });

  it('counts its lease from the request that was answered', async () => {
    backend.fault = failFirst(1, 'silence');
    const lease = await inFakeTime(locks.createLock('a').acquire());
    expect(lease.remainingMs).toBeGreaterThan(29_900);
    expect((await backend.service.inspect('a')).view.expiresInMs).toBeGreaterThanOrEqual(lease.remainingMs);
  });
});

describe('lock()', () => {
  it.each([
    ['throttling', throttled],
    ['server errors', serverError],
    ['resets', 'lost-request'],
    ['lost replies', 'lost-reply'],
  ] as const)('gets through 20 %s', async (_name, fault) => {
    backend.fault = failFirst(20, fault);
    const lock = locks.createLock('a');
    await inFakeTime(lock.lock(), 60_000);
    expect(lock.isHeld).toBe(true);
    expect(new Set(backend.callsOf('try').map(({ ownerToken }) => ownerToken)).size).toBe(1);
  });

  it('backs off with pauses that grow to 2 s', async () => {
    const sentAt: number[] = [];
    backend.fault = ({ operation }, index) => {
      sentAt.push(performance.now());
      return operation === 'try' && index < 10 ? throttled : undefined;
    };
    await inFakeTime(locks.createLock('a').lock());
    const pauses = sentAt.slice(1, 10).map((at, index) => at - (sentAt[index] ?? 0));
    expect(pauses).toEqual([25, 50, 100, 200, 400, 800, 1_000, 1_000, 1_000]);
  });

  it('rejects after 30 s without any answer, and never takes the lock locally', async () => {
    backend.fault = () => 'silence';
    const lock = locks.createLock('a');
    const startedAt = performance.now();
    const error = await inFakeTime(reasonOf(lock.lock()));
    expect(error).toMatchObject({ code: 'lock-service', outcomeUnknown: true });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(30_000);
    expect(performance.now() - startedAt).toBeLessThan(41_000);
    expect(lock.isHeld).toBe(false);
  });

  it('cleans up what may have been granted when it rejects', async () => {
    backend.fault = ({ operation }) => (operation === 'try' ? 'lost-reply' : undefined);
    locks = new LockFactory(backend, { random: () => 0.5, unreachableAfterMs: 3_000 });
    expect(await inFakeTime(reasonOf(locks.createLock('a').lock()))).toBeInstanceOf(LockServiceError);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await state()).toBe('free');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is not unreachable while something answers, if only errors', async () => {
    backend.fault = ({ operation }) =>
      operation === 'try' && performance.now() < endOfErrorsMs ? serverError : undefined;
    const endOfErrorsMs = performance.now() + 90_000;
    const lock = locks.createLock('a');
    await inFakeTime(lock.lock());
    expect(lock.isHeld).toBe(true);
  });

  it('rejects at once when the request itself is refused', async () => {
    const error = new ForbiddenError('no');
    backend.fault = () => ({ kind: 'refused', error });
    await expect(locks.createLock('a').lock()).rejects.toBe(error);
    expect(backend.calls).toHaveLength(1);
  });

  it('falls back to try while acquire is throttled, and gets the lock', async () => {
    await rivals.createLock('a', { maxHoldMs: 40_000 }).lock();
    backend.fault = ({ operation }) => (operation === 'acquire' ? throttled : undefined);
    const lock = locks.createLock('a');
    await inFakeTime(lock.lock());
    expect(lock.isHeld).toBe(true);
    expect(backend.callsOf('try').length).toBeGreaterThan(3);
  });

  it.each([
    ['throttled', throttled],
    ['answered by the gateway with 503', serverError],
  ] as const)('asks less and less often while acquire is %s, though try is answered', async (_name, fault) => {
    await rivals.createLock('a').lock();
    const sentAt: number[] = [];
    backend.fault = ({ operation }) => {
      if (operation !== 'acquire') return undefined;
      sentAt.push(performance.now());
      return fault;
    };
    const interrupt = new AbortController();
    const waiting = reasonOf(locks.createLock('a').lockInterruptibly(interrupt.signal));
    await jest.advanceTimersByTimeAsync(20_000);
    const pauses = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    // Each time once before the attempt and once after it, for it stands in no line that anything could be handed to it in.
    expect(pauses.slice(0, 8)).toEqual([75, 150, 300, 600, 1_200, 2_400, 4_100, 5_000]);
    interrupt.abort();
    expect(await inFakeTime(waiting)).toBeInstanceOf(InterruptedError);
  });

  it('looks by an attempt at least every 2 s while it stands in line and acquire is throttled', async () => {
    locks = new LockFactory(backend, { random: () => 1 });
    await rivals.createLock('a').lock();
    let acquires = 0;
    const triedAt: number[] = [];
    backend.fault = ({ operation, ownerToken }) => {
      if (operation === 'try' && ownerToken === backend.callsOf('acquire')[0]?.ownerToken) {
        triedAt.push(performance.now());
      }
      return operation === 'acquire' && acquires++ > 0 ? throttled : undefined;
    };
    const interrupt = new AbortController();
    const waiting = reasonOf(locks.createLock('a').lockInterruptibly(interrupt.signal));
    await jest.advanceTimersByTimeAsync(60_000);
    const gaps = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(15);
    expect(Math.max(...gaps)).toBe(2_000);
    interrupt.abort();
    expect(await inFakeTime(waiting)).toBeInstanceOf(InterruptedError);
  });

  it('asks quickly again after a wait that was answered', async () => {
    await rivals.createLock('a').lock();
    let throttles = 6;
    const sentAt: number[] = [];
    backend.fault = ({ operation }) => {
      if (operation !== 'acquire') return undefined;
      sentAt.push(performance.now());
      return throttles-- > 0 ? throttled : undefined;
    };
    const interrupt = new AbortController();
    const waiting = reasonOf(locks.createLock('a').lockInterruptibly(interrupt.signal));
    await jest.advanceTimersByTimeAsync(10_000);
    const answered = sentAt.length;
    throttles = 2;
    await jest.advanceTimersByTimeAsync(20_000);
    const [before = 0, first = 0, second = 0] = sentAt.slice(answered - 1);
    expect(first - before).toBeGreaterThan(10_000);
    expect(second - first).toBe(25);
    interrupt.abort();
    expect(await inFakeTime(waiting)).toBeInstanceOf(InterruptedError);
  });

  it('starts anew with a fresh token when its answer came after the lease was over', async () => {
    backend.replyMs = 2_000;
    const lock = locks.createLock('a', { leaseMs: 1_500 });
    const waiting = lock.lock();
    await jest.advanceTimersByTimeAsync(2_100);
    backend.replyMs = 0;
    await inFakeTime(waiting);
    expect(lock.isHeld).toBe(true);
    const tokens = backend.callsOf('try').map(({ ownerToken }) => ownerToken);
    expect(new Set(tokens).size).toBeGreaterThan(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect((await backend.service.inspect('a')).view.fencingToken).toBe(lock.fencingToken);
  });

  it('comes back to its place, and with a fresh token where that was taken from it', async () => {
    await rivals.createLock('a').lock();
    const interrupt = new AbortController();
    const waiting = reasonOf(locks.createLock('a').lockInterruptibly(interrupt.signal));
    await jest.advanceTimersByTimeAsync(19_000);
    const [{ ownerToken } = { ownerToken: '' }] = backend.callsOf('acquire');
    // The place is taken away while it is told that it has one.
    backend.replyMs = 1_000;
    await jest.advanceTimersByTimeAsync(1_500);
    await backend.service.release({ lockId: 'a', ownerToken });
    backend.replyMs = 0;
    await jest.advanceTimersByTimeAsync(2_000);
    expect((await backend.service.inspect('a')).view.waiters).toBe(1);
    const [, second, fresh] = backend.callsOf('acquire').map((call) => call.ownerToken);
    expect(second).toBe(ownerToken);
    expect([undefined, ownerToken]).not.toContain(fresh);
    interrupt.abort();
    expect(await inFakeTime(waiting)).toBeInstanceOf(InterruptedError);
  });

  it('starts anew when a provisional grant is taken before it could be confirmed', async () => {
    const holder = rivals.createLock('a');
    await holder.lock();
    backend.fault = ({ operation }) =>
      operation === 'renew' && performance.now() < blockedUntilMs ? 'lost-request' : undefined;
    let blockedUntilMs = Number.POSITIVE_INFINITY;
    const lock = locks.createLock('a', { leaseMs: 20_000 });
    const waiting = lock.lock();
    await jest.advanceTimersByTimeAsync(1_000);
    await holder.unlock();
    await jest.advanceTimersByTimeAsync(6_000);
    blockedUntilMs = 0;
    await inFakeTime(waiting);
    expect(lock.isHeld).toBe(true);
    expect(lock.signal?.aborted).toBe(false);
  });
});

describe('tryLock()', () => {
  it('rejects after 3 tries of unknown outcome, never false, and cleans up', async () => {
    backend.fault = ({ operation }) => (operation === 'try' ? 'lost-reply' : undefined);
    const error = await inFakeTime(reasonOf(locks.createLock('a').tryLock()));
    expect(error).toMatchObject({ code: 'lock-service' });
    expect(backend.callsOf('try')).toHaveLength(3);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await state()).toBe('free');
  });

  it('rejects after 3 s of silence', async () => {
    backend.fault = () => 'silence';
    const startedAt = performance.now();
    const error = await inFakeTime(reasonOf(locks.createLock('a').tryLock()));
    expect(error).toBeInstanceOf(LockServiceError);
    expect(performance.now() - startedAt).toBeLessThanOrEqual(3_010);
  });

  it('is true when a retry gets through', async () => {
    backend.fault = failFirst(2, serverError);
    expect(await inFakeTime(locks.createLock('a').tryLock())).toBe(true);
  });
});

describe('a timed tryLock', () => {
  it('rejects when nothing answered until its end: it does not know that the lock is held', async () => {
    backend.fault = () => 'lost-request';
    const error = await inFakeTime(reasonOf(locks.createLock('a').tryLock(2_000)));
    expect(error).toBeInstanceOf(LockServiceError);
  });

  it('is false when the lock was seen held and the last answers were lost, and cleans up', async () => {
    const holder = rivals.createLock('a');
    await holder.lock();
    backend.fault = ({ operation }) => (operation === 'acquire' ? 'silence' : undefined);
    const startedAt = performance.now();
    expect(await inFakeTime(locks.createLock('a').tryLock(2_000))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(2_600);
    await holder.unlock();
    await jest.advanceTimersByTimeAsync(25_000);
    expect(await state()).toBe('free');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that is aborted rejects within 1 s although its clean-up gets no answer', async () => {
    await rivals.createLock('a').lock();
    const abort = new AbortController();
    const waiting = reasonOf(locks.createLock('a').tryLock(60_000, 'milliseconds', { signal: abort.signal }));
    await jest.advanceTimersByTimeAsync(500);
    backend.fault = () => 'silence';
    const abortedAt = performance.now();
    abort.abort();
    expect(await inFakeTime(waiting)).toBeInstanceOf(InterruptedError);
    expect(performance.now() - abortedAt).toBeLessThanOrEqual(1_010);
  });
});

it('dispose waits for the clean-ups that run in the background', async () => {
  backend.fault = ({ operation }, index) =>
    operation === 'try' ? 'lost-reply' : operation === 'release' && index < 2 ? 'lost-request' : undefined;
  await inFakeTime(reasonOf(locks.createLock('a').tryLock()));
  await inFakeTime(locks.dispose({ timeoutMs: 0 }));
  expect(await state()).toBe('free');
});

it('a service that takes no token at all is not asked in a hot loop', async () => {
  backend.fault = ({ operation }) => (operation === 'try' ? { kind: 'spent' } : undefined);
  const refused = inFakeTime(reasonOf(locks.createLock('a').tryLock(2_000)));
  expect(await refused).toBeInstanceOf(LockServiceError);
  expect(backend.callsOf('try').length).toBeLessThan(12);
});

it('a lock service that was never reached is not cleaned up after', async () => {
  const error = new LockServiceError('ECONNREFUSED', { outcomeUnknown: false });
  backend.fault = () => ({ kind: 'unknown', answered: false, error });
  const failed = await inFakeTime(reasonOf(locks.createLock('a').tryLock()));
  expect(failed).toBe(error);
  expect(backend.callsOf('release')).toEqual([]);
});

it('what may have been granted is cleaned up after although the tries that followed never reached the service', async () => {
  const error = new LockServiceError('ECONNREFUSED', { outcomeUnknown: false });
  backend.fault = ({ operation }, index) => {
    if (operation !== 'try') return undefined;
    return index === 0 ? 'lost-reply' : { kind: 'unknown', answered: false, error };
  };
  const failed = await inFakeTime(reasonOf(locks.createLock('a').tryLock()));
  expect(failed).toMatchObject({ code: 'lock-service', outcomeUnknown: true, cause: error });
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await state()).toBe('free');
});

it('a timed acquisition that got only errors says what they were', async () => {
  backend.fault = ({ operation }) => (operation === 'try' ? serverError : undefined);
  const error = await inFakeTime(reasonOf(locks.createLock('a').tryLock(300.4)));
  expect(error).toMatchObject({
    message: expect.stringContaining('within 300 ms'),
    cause: { message: 'HTTP status 500' },
  });
});

describe('a waiter that is told when to come back', () => {
  it.each([
    [0, 1_700],
    [1, 2_000],
  ])('does so a little earlier at random, never later (%d: after %d ms)', async (random, afterMs) => {
    const askedMs: number[] = [];
    backend.fault = ({ operation }) => {
      if (operation !== 'acquire') return;
      askedMs.push(Date.now());
      if (askedMs.length > 1) return;
      return { kind: 'waiting', holder: 'h', expiresInMs: 9_000, waiters: 9, retryAfterMs: 2_000 };
    };
    await inFakeTime(rivals.createLock('a').lock());
    const waiting = new LockFactory(backend, { random: () => random }).createLock('a').tryLock(3_000);
    expect(await inFakeTime(waiting)).toBe(false);
    expect((askedMs[1] as number) - (askedMs[0] as number)).toBe(afterMs);
  });
});

describe('flows that stand behind one that gets no answer', () => {
  it('are all told when each has waited that long, and not one after the other', async () => {
    backend.fault = () => 'lost-request';
    const told: number[] = [];
    const flows = [0, 0, 0, 5_000].map(async (enteredMs) => {
      if (enteredMs > 0) await new Promise((resolve) => setTimeout(resolve, enteredMs));
      await expect(locks.createLock('a').lock()).rejects.toMatchObject({ code: 'lock-service' });
      told.push(performance.now());
    });
    const startedAt = performance.now();
    await inFakeTime(Promise.all(flows));
    const afterMs = told.map((at) => Math.round((at - startedAt) / 5_000) * 5_000);
    expect(afterMs).toEqual([30_000, 30_000, 30_000, 35_000]);
  });

  it('are told that it was not answered when their time is over, and not that the lock is held', async () => {
    backend.fault = () => 'lost-request';
    const waits = [2_000, 1_000, 1_500].map((waitMs) => reasonOf(locks.createLock('a').acquire({ waitMs })));
    for (const reason of await inFakeTime(Promise.all(waits))) expect(reason).toBeInstanceOf(LockServiceError);
  });

  it('are told that it is held when that was seen', async () => {
    await rivals.createLock('a').lock();
    const waits = [2_000, 1_000].map((waitMs) => locks.createLock('a').tryLock(waitMs));
    expect(await inFakeTime(Promise.all(waits))).toEqual([false, false]);
  });
});

it('a process that was frozen for long while it waited asks again before it gives up', async () => {
  let frozenMs = 0;
  const clocks = {
    now: () => ({ monotonicMs: performance.now() + frozenMs, wallMs: Date.now() + frozenMs }),
  };
  const rival = rivals.createLock('a');
  await rival.lock();
  const waiting = new LockFactory(backend, { clocks, random: () => 0.5 }).createLock('a').lock();
  backend.fault = ({ operation }, index) => (operation === 'acquire' && index === 0 ? 'silence' : undefined);
  await jest.advanceTimersByTimeAsync(1_000);
  frozenMs = 60_000;
  await jest.advanceTimersByTimeAsync(30_000);
  await rival.unlock();
  await inFakeTime(waiting);
});

it('a waiter comes back after 20 s at the latest, whatever it is told', async () => {
  const answer: Answer = { kind: 'held', holder: 'h', expiresInMs: 9_000, retryAfterMs: Number.MAX_SAFE_INTEGER };
  backend.fault = ({ operation }) => (operation === 'try' || Date.now() < toldMs + 60_000 ? answer : undefined);
  const toldMs = Date.now();
  const lock = locks.createLock('a');
  await inFakeTime(lock.lock(), 90_000);
  expect(lock.isHeld).toBe(true);
});

it('a wait of any length keeps none of the answers that it got', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const answers: WeakRef<object>[] = [];
  backend.fault = ({ operation }) => {
    if (operation !== 'acquire') return;
    const answer: Answer = { kind: 'waiting', holder: 'h', expiresInMs: 9_000, retryAfterMs: 1_000 };
    answers.push(new WeakRef(answer));
    return answer;
  };
  await inFakeTime(rivals.createLock('a').lock());
  const abort = new AbortController();
  const waiting = reasonOf(locks.createLock('a').lockInterruptibly(abort.signal));
  await jest.advanceTimersByTimeAsync(100_000);
  collectGarbage();
  expect(answers.length).toBeGreaterThan(50);
  expect(answers.filter((each) => each.deref()).length).toBeLessThan(10);
  abort.abort();
  await inFakeTime(waiting);
});

it('a wait that is aborted before its request has arrived leaves the line soon after it has', async () => {
  await rivals.createLock('a').lock();
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const { acquire } = backend;
  backend.acquire = async (request, timeoutMs) => {
    await arrived;
    // What gives up a wait inside the process cannot reach one over HTTP.
    return acquire.call(backend, { ...request, signal: new AbortController().signal }, timeoutMs);
  };
  const abort = new AbortController();
  const waiting = reasonOf(locks.createLock('a').lockInterruptibly(abort.signal));
  await jest.advanceTimersByTimeAsync(10);
  abort.abort();
  expect(await inFakeTime(waiting)).toBeInstanceOf(InterruptedError);
  arrive();
  const disposed = locks.dispose();
  await inFakeTime(disposed, 2_000);
  expect((await backend.service.inspect('a')).view.waiters).toBe(0);
});
