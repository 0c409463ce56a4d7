import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ForbiddenError,
  IllegalArgumentError,
  InterruptedError,
  type LockEvent,
  LockFactory,
  LockServiceError,
} from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { expectNoSecretIn } from '../../support/secrets.ts';
import { type Fault, ServiceBackend } from '../../support/service-backend.ts';

let backend: ServiceBackend;
let locks: LockFactory;
// The locks of another process.
let rivals: LockFactory;
let events: LockEvent[];

beforeEach(() => {
  jest.useFakeTimers();
  events = [];
  backend = new ServiceBackend();
  locks = new LockFactory(backend, { random: () => 0.5, holder: 'me', onEvent: (event) => events.push(event) });
  rivals = new LockFactory(backend, { random: () => 0.5, holder: 'rival' });
});

afterEach(() => jest.useRealTimers());

const types = () => events.map(({ type }) => type);
const throttled: Fault = { kind: 'throttled', error: new LockServiceError('slow down', { outcomeUnknown: false }) };
const breakHold = async () => {
  const { fencingToken = 0 } = (await backend.service.inspect('a')).view;
  await backend.service.break({ lockId: 'a', fencingToken });
};

describe('the events of a lock', () => {
  it('tell its whole life: acquired, renewed, released', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    const { fencingToken } = lock;
    await jest.advanceTimersByTimeAsync(25_000);
    await lock.unlock();
    expect(events).toEqual([
      { type: 'acquired', lockId: 'a', fencingToken, waitedMs: 0 },
      { type: 'renewed', lockId: 'a', fencingToken, remainingMs: 29_970 },
      { type: 'renewed', lockId: 'a', fencingToken, remainingMs: 29_970 },
      { type: 'released', lockId: 'a', fencingToken, heldMs: 25_000 },
    ]);
  });

  it('tell for whom a flow waits, its place in line once that is known, and for how long it did', async () => {
    const rival = rivals.createLock('a');
    await rival.lock();
    const waiting = locks.createLock('a').lock();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(events).toEqual([
      { type: 'waiting', lockId: 'a', holder: 'rival' },
      { type: 'waiting', lockId: 'a', holder: 'rival', position: 1 },
    ]);
    await rival.unlock();
    await inFakeTime(waiting);
    expect(types()).toEqual(['waiting', 'waiting', 'acquired']);
    expect(events[2]).toMatchObject({ waitedMs: expect.any(Number) });
    expect((events[2] as { waitedMs: number }).waitedMs).toBeGreaterThanOrEqual(60_000);
  });

  it('tell again that a flow waits when its place or the holder has changed, and only then', async () => {
    const rival = rivals.createLock('a', { holder: 'first' });
    await rival.lock();
    const other = new LockFactory(backend, { random: () => 0.5, holder: 'second' }).createLock('a');
    const otherWaits = other.lock();
    await jest.advanceTimersByTimeAsync(100);
    const waiting = locks.createLock('a').lock();
    await jest.advanceTimersByTimeAsync(50_000);
    const told = [
      { type: 'waiting', lockId: 'a', holder: 'first' },
      { type: 'waiting', lockId: 'a', holder: 'first', position: 2 },
    ];
    expect(events).toEqual(told);
    await rival.unlock();
    await inFakeTime(otherWaits);
    await jest.advanceTimersByTimeAsync(50_000);
    expect(events).toEqual([...told, { type: 'waiting', lockId: 'a', holder: 'second', position: 1 }]);
    await other.unlock();
    await inFakeTime(waiting);
  });

  it('tell that flows of one process wait for each other, and pass the lock on', async () => {
    const first = locks.createLock('a');
    await first.lock();
    const second = locks.createLock('a').lock();
    const third = locks.createLock('a').tryLock(500);
    expect(events.slice(1)).toEqual([
      { type: 'waiting', lockId: 'a', holder: 'me' },
      { type: 'waiting', lockId: 'a', holder: 'me' },
    ]);
    expect(await inFakeTime(third)).toBe(false);
    await first.unlock();
    await second;
    expect(types().slice(3)).toEqual(['notAcquired', 'released', 'acquired']);
  });

  it('tell an attempt that finds it held, and how long a wait was that ended without it', async () => {
    await rivals.createLock('a').lock();
    expect(await locks.createLock('a').tryLock()).toBe(false);
    expect(events).toEqual([{ type: 'notAcquired', lockId: 'a', waitedMs: 0, error: undefined }]);
    expect(await inFakeTime(locks.createLock('a').tryLock(2_000))).toBe(false);
    expect(types().slice(1)).toEqual(['waiting', 'notAcquired']);
    expect((events[2] as { waitedMs: number }).waitedMs).toBeGreaterThanOrEqual(2_000);
  });

  it('tell the error with which an attempt ends, of the caller or of the service', async () => {
    await rivals.createLock('a').lock();
    const controller = new AbortController();
    const waiting = locks.createLock('a').lockInterruptibly(controller.signal);
    const interrupted = expect(waiting).rejects.toThrow(InterruptedError);
    await jest.advanceTimersByTimeAsync(1_000);
    controller.abort();
    await inFakeTime(interrupted);
    const refusal = new ForbiddenError('no');
    backend.fault = () => ({ kind: 'refused', error: refusal });
    await expect(locks.createLock('b').lock()).rejects.toBe(refusal);
    expect(types()).toEqual(['waiting', 'notAcquired', 'notAcquired']);
    expect(events[1]).toMatchObject({ lockId: 'a', error: expect.any(InterruptedError) });
    expect(events[2]).toMatchObject({ lockId: 'b', error: refusal });
  });

  it('count a hold from the answer that granted it, so that the holds of one lock do not overlap', async () => {
    backend.replyMs = 1_000;
    const lock = locks.createLock('a');
    await inFakeTime(lock.lock());
    await jest.advanceTimersByTimeAsync(500);
    await inFakeTime(lock.unlock());
    expect(events[1]).toMatchObject({ type: 'released', heldMs: 1_500 });
  });

  it('tell each failed renewal, and the loss with its reason, once', async () => {
    const lock = locks.createLock('a', { leaseMs: 9_000 });
    await lock.lock();
    backend.fault = ({ operation }, index) => (operation === 'renew' && index === 0 ? throttled : undefined);
    await jest.advanceTimersByTimeAsync(3_500);
    await breakHold();
    await jest.advanceTimersByTimeAsync(10_000);
    await lock.unlock().catch(() => undefined);
    expect(types()).toEqual(['acquired', 'renewFailed', 'renewed', 'lost']);
    expect(events[1]).toMatchObject({ error: { code: 'lock-service' }, remainingMs: expect.any(Number) });
    expect(events[3]).toMatchObject({ reason: 'broken', lockId: 'a' });
  });

  it('tell a release that failed, and the one that did not', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    const error = new ForbiddenError('no');
    backend.fault = ({ operation }) => (operation === 'release' ? { kind: 'refused', error } : undefined);
    await expect(lock.unlock()).rejects.toBe(error);
    backend.fault = () => undefined;
    await lock.unlock();
    expect(types()).toEqual(['acquired', 'releaseFailed', 'released']);
    expect(events[1]).toMatchObject({ error });
  });

  it('tell once that a hold is over whose release failed: at its deadline, or before when it is released', async () => {
    const lock = locks.createLock('a', { leaseMs: 9_000 });
    await lock.lock();
    backend.fault = ({ operation }) => (operation === 'release' ? 'lost-request' : undefined);
    const failed = expect(lock.unlock()).rejects.toThrow(LockServiceError);
    await inFakeTime(failed);
    expect(types()).toEqual(['acquired', 'releaseFailed']);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(types()).toEqual(['acquired', 'releaseFailed', 'lost']);
    expect(events[2]).toMatchObject({ reason: 'expired', heldMs: 8_991 });
    backend.fault = () => undefined;
    await lock.unlock();
    expect(types()).toEqual(['acquired', 'releaseFailed', 'lost']);
  });

  it('tell the end of a scope whose release failed for good', async () => {
    backend.fault = ({ operation }) => (operation === 'release' ? 'lost-request' : undefined);
    await inFakeTime(locks.withLock('a', { leaseMs: 9_000 }, () => undefined));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(types()).toEqual(['acquired', 'releaseFailed', 'lost']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('tell a hold that was taken away by dispose, and a lease that was adopted', async () => {
    const lease = await locks.createLock('a').acquire();
    await locks.adopt(lease.export());
    await inFakeTime(locks.dispose({ timeoutMs: 0 }));
    expect(types()).toEqual(['acquired', 'exported', 'acquired', 'lost']);
    expect(events[3]).toMatchObject({ reason: 'disposed' });
  });

  it('tell a flow that waits for its own handle', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    const again = lock.tryLock(6_000);
    expect(await inFakeTime(again)).toBe(false);
    expect(types()).toEqual(['acquired', 'waiting', 'waitingForOwnHandle', 'notAcquired']);
  });

  it('hold no owner token', async () => {
    const rival = rivals.createLock('a');
    await rival.lock();
    const lock = locks.createLock('a');
    const waiting = lock.lock();
    await jest.advanceTimersByTimeAsync(100);
    await rival.unlock();
    await inFakeTime(waiting);
    await jest.advanceTimersByTimeAsync(10_000);
    await lock.unlock();
    await lock.lock();
    await breakHold();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(types()).toEqual(['waiting', 'acquired', 'renewed', 'released', 'acquired', 'lost']);
    expectNoSecretIn(events, ...new Set(backend.calls.map(({ ownerToken }) => ownerToken)));
  });
});

describe('the listener of events', () => {
  it('is called in the context of the flow that wanted the lock, whoever passes it on', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const traced = new LockFactory(backend, {
      onEvent: ({ type }) => seen.push(`${context.getStore()} ${type}`),
    });
    const flow = (name: string) =>
      context.run(name, async () => {
        const lock = traced.createLock('a');
        await lock.lock();
        await new Promise((resolve) => setTimeout(resolve, 12_000));
        await lock.unlock();
      });
    await inFakeTime(Promise.all([flow('one'), flow('two')]));
    expect(seen.filter((line) => line.startsWith('one'))).toEqual(['one acquired', 'one renewed', 'one released']);
    expect(seen.filter((line) => line.startsWith('two'))).toEqual([
      'two waiting',
      'two acquired',
      'two renewed',
      'two released',
    ]);
  });

  it('costs the lock nothing when it throws', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const unlucky = new LockFactory(backend, {
      onEvent: () => {
        throw new Error('out of order');
      },
    });
    await unlucky.withLock('a', () => undefined);
    expect(warned.mock.calls.map(([message]) => message)).toEqual([
      'the listener of "acquired" events failed: Error: out of order',
      'the listener of "released" events failed: Error: out of order',
    ]);
    warned.mockRestore();
  });

  it.each<[string, () => unknown]>([
    ['is asynchronous and rejects', async () => Promise.reject(new Error('later'))],
    [
      'throws what has no text',
      () => {
        throw Object.create(null);
      },
    ],
  ])('costs the lock nothing when it %s', async (_what, onEvent) => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const unlucky = new LockFactory(backend, { onEvent: onEvent as () => void });
    await unlucky.withLock('a', () => undefined);
    await jest.advanceTimersByTimeAsync(0);
    expect(warned).toHaveBeenCalledTimes(2);
    warned.mockRestore();
  });

  it('must be a function', () => {
    expect(() => new LockFactory(backend, { onEvent: 'log' as never })).toThrow(IllegalArgumentError);
  });
});
