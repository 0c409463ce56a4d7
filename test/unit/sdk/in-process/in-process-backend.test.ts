import type { LockItem } from '../../../../lambda/service/lock-item.ts';
import { LockService } from '../../../../lambda/service/lock-service.ts';
import { StoreFailedError, StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import { defaultTiming, embeddedTiming } from '../../../../lambda/service/timing.ts';
import { MemoryLockStore } from '../../../../lambda/store/memory-lock-store.ts';
import type { AcquireRequest, LeaseRequest } from '../../../../sdk/backend.ts';
import { InProcessBackend } from '../../../../sdk/in-process/in-process-backend.ts';
import { processSurroundings } from '../../../../sdk/in-process/surroundings.ts';
import { ForbiddenError, IllegalArgumentError, LockServiceError } from '../../../../sdk/index.ts';
import { inFakeTime } from '../../../support/fake-timers.ts';
import { type InterposedStore, type Interposition, interposed } from '../../../support/interposed-store.ts';
import { alice, bob, carol, T0 } from '../../../support/lock-items.ts';
import { expectNoSecretIn } from '../../../support/secrets.ts';

let items: Map<string, LockItem>;
let store: InterposedStore;
let backend: InProcessBackend;

function open(interposition: Interposition = {}): void {
  items = new Map();
  store = interposed(new MemoryLockStore(items), interposition);
  backend = new InProcessBackend(new LockService(store, processSurroundings, embeddedTiming), 'local');
}

beforeEach(() => {
  jest.useFakeTimers({ now: T0 });
  open();
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

function leaseOf(ownerToken: string, more: Partial<LeaseRequest> = {}): LeaseRequest {
  return { lockId: 'a', ownerToken, leaseMs: 30_000, holder: 'host-b', ...more };
}

function waitOf(ownerToken: string, more: Partial<AcquireRequest> = {}): AcquireRequest {
  const { signal } = new AbortController();
  return { ...leaseOf(ownerToken), waitMs: 20_000, resume: false, signal, ...more };
}

const releaseOf = (ownerToken: string) => ({ lockId: 'a', ownerToken, expectWaiters: false });
const granted = { kind: 'granted', leaseMs: 30_000, provisional: false, waiters: 0 };

describe('a backend inside the process', () => {
  it('answers as the service decides, and nothing more', async () => {
    const first = await backend.try(leaseOf(alice), 5_000);
    expect(first).toEqual({ ...granted, fencingToken: T0 + 1 });
    expect(await backend.try(leaseOf(bob), 5_000)).toEqual({
      kind: 'held',
      holder: 'host-b',
      expiresInMs: 30_000,
      retryAfterMs: 250,
    });
    expect(await backend.renew(leaseOf(alice, { leaseMs: 60_000 }), 5_000)).toEqual({
      ...granted,
      fencingToken: T0 + 1,
      leaseMs: 60_000,
    });
    expect(await backend.renew(leaseOf(bob), 5_000)).toEqual({ kind: 'lost', reason: 'superseded' });
    expect(await backend.release(releaseOf(alice), 5_000)).toEqual({ kind: 'released' });
    expect(await backend.try(leaseOf(alice), 5_000)).toEqual({ kind: 'spent' });
    expect(await backend.release({ ...releaseOf(alice), lockId: 'b' }, 5_000)).toEqual({
      kind: 'lost',
      reason: 'absent',
    });
  });

  it('writes who holds: the label that was given, and where it runs', async () => {
    await backend.try(leaseOf(alice), 5_000);
    expect(items.get('a')).toMatchObject({ owner: alice, holder: 'host-b', principal: 'local' });
    await backend.release({ ...releaseOf(alice), heir: { ownerToken: bob, leaseMs: 5_000, holder: 'heir' } }, 5_000);
    expect(items.get('a')).toMatchObject({ owner: bob, holder: 'heir', principal: 'local' });
  });

  it('passes the lock on to the heir', async () => {
    await backend.try(leaseOf(alice), 5_000);
    const heir = { ownerToken: bob, leaseMs: 5_000, holder: undefined };
    expect(await backend.release({ ...releaseOf(alice), heir }, 5_000)).toEqual({
      kind: 'released',
      heir: { ...granted, leaseMs: 5_000, fencingToken: T0 + 2 },
    });
  });

  it('waits in line, keeps the place, comes back to it, and is granted provisionally', async () => {
    await backend.try(leaseOf(alice), 5_000);
    const waiting = await inFakeTime(backend.acquire(waitOf(bob, { waitMs: 1_000 }), 6_000));
    expect(waiting).toEqual({ kind: 'waiting', holder: 'host-b', expiresInMs: 29_000, retryAfterMs: 0, position: 1 });
    const granting = backend.acquire(waitOf(bob, { resume: true }), 25_000);
    await jest.advanceTimersByTimeAsync(500);
    expect(await backend.release(releaseOf(alice), 5_000)).toEqual({ kind: 'released' });
    expect(await inFakeTime(granting)).toEqual({ ...granted, leaseMs: 3_000, provisional: true, fencingToken: T0 + 2 });
    expect(await backend.renew(leaseOf(bob), 5_000)).toMatchObject(granted);
  });

  it('says that a place which it comes back to is gone', async () => {
    await backend.try(leaseOf(alice), 5_000);
    expect(await backend.acquire(waitOf(bob, { resume: true }), 25_000)).toEqual({ kind: 'spent' });
  });

  it('leaves the line at once when nobody waits for the answer any more', async () => {
    await backend.try(leaseOf(alice), 5_000);
    const abort = new AbortController();
    const waiting = backend.acquire(waitOf(bob, { signal: abort.signal }), 25_000);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(items.get('a')?.queue).toEqual([bob]);
    abort.abort();
    expect(await waiting).toEqual({ kind: 'spent' });
    expect(items.get('a')).toMatchObject({ owner: alice, queue: [], tickets: {} });
  });

  it('shows locks with their times as text, and no owner token', async () => {
    await backend.try(leaseOf(alice), 5_000);
    const view = {
      lockId: 'a',
      state: 'held',
      fencingToken: T0 + 1,
      holder: 'host-b',
      principal: 'local',
      since: '2027-01-15T08:00:00.000Z',
      expiresAt: '2027-01-15T08:00:30.000Z',
      expiresInMs: 30_000,
      waiters: 0,
    };
    const viewed = await backend.inspect('a', 5_000);
    expect(viewed).toEqual({ kind: 'viewed', view });
    expectNoSecretIn(viewed, alice);
    expect(await backend.inspect('b', 5_000)).toEqual({
      kind: 'viewed',
      view: { lockId: 'b', state: 'free', waiters: 0 },
    });
  });

  it('lists page by page, with cursors as over HTTP', async () => {
    for (const lockId of ['a', 'b/1', 'c']) await backend.try(leaseOf(alice, { lockId }), 5_000);
    const query = { prefix: '', state: 'all', limit: 2, cursor: undefined } as const;
    const first = await backend.list(query, 5_000);
    expect(first).toMatchObject({ kind: 'listed', views: [{ lockId: 'a' }, { lockId: 'b/1' }], cursor: 'b~2F1' });
    const second = await backend.list({ ...query, cursor: 'b~2F1' }, 5_000);
    expect(second).toMatchObject({ kind: 'listed', views: [{ lockId: 'c' }] });
    expect(second).toHaveProperty('cursor', undefined);
  });

  it('refuses a cursor that no page gave', async () => {
    const query = { prefix: '', state: 'all', limit: 2, cursor: 'b/1' } as const;
    const refused = await backend.list(query, 5_000);
    expect(refused).toMatchObject({ kind: 'refused', error: expect.any(IllegalArgumentError) });
    expect(store.calls).toEqual([]);
  });

  it('breaks the hold that was looked at, and no other', async () => {
    await backend.try(leaseOf(alice), 5_000);
    const breaking = (fencingToken: number) => backend.break({ lockId: 'a', fencingToken, note: undefined }, 5_000);
    expect(await breaking(T0)).toMatchObject({ kind: 'holder-changed', view: { fencingToken: T0 + 1 } });
    expect(await breaking(T0 + 1)).toMatchObject({ kind: 'broken', view: { state: 'free', fencingToken: T0 + 2 } });
    expect(await breaking(T0 + 2)).toEqual({ kind: 'not-held' });
    expect(await backend.renew(leaseOf(alice), 5_000)).toEqual({ kind: 'lost', reason: 'broken' });
  });

  it('gives back what the store keeps open when it is closed', () => {
    const close = jest.fn();
    new InProcessBackend(new LockService(store, processSurroundings, defaultTiming), 'embedded', close).close();
    expect(close).toHaveBeenCalledTimes(1);
    expect(() => backend.close()).not.toThrow();
  });
});

describe('a call that fails', () => {
  const calls: [string, () => Promise<unknown>][] = [
    ['try', () => backend.try(leaseOf(alice), 5_000)],
    ['acquire', () => backend.acquire(waitOf(alice), 25_000)],
    ['renew', () => backend.renew(leaseOf(alice), 5_000)],
    ['release', () => backend.release(releaseOf(alice), 5_000)],
    ['inspect', () => backend.inspect('a', 5_000)],
    ['list', () => backend.list({ prefix: '', state: 'all', limit: 2, cursor: undefined }, 5_000)],
    ['break', () => backend.break({ lockId: 'a', fencingToken: 1, note: undefined }, 5_000)],
  ];

  const failWith = (error: unknown) =>
    open({
      before: () => {
        throw error;
      },
    });

  it.each(calls)('is of unknown outcome when the store answered that it cannot: %s', async (_, call) => {
    failWith(new StoreUnavailableError('claim: DynamoDB answered ThrottlingException', { requestId: 'r-1' }));
    const answer = (await call()) as { error: LockServiceError };
    expect(answer).toMatchObject({ kind: 'unknown', answered: true });
    expect(answer.error).toBeInstanceOf(LockServiceError);
    expect(answer.error).toMatchObject({ outcomeUnknown: true, requestId: 'r-1' });
    expect(answer.error.message).toContain('ThrottlingException');
  });

  it.each(calls)('says so when nothing was heard of the store: %s', async (_, call) => {
    failWith(new StoreUnavailableError('claim: ECONNREFUSED', { answered: false }));
    expect(await call()).toMatchObject({ kind: 'unknown', answered: false, error: { outcomeUnknown: true } });
  });

  it.each(calls)('is refused when the store does not authorize it: %s', async (_, call) => {
    failWith(new StoreFailedError('claim: DynamoDB answered AccessDeniedException', { forbidden: true }));
    const answer = (await call()) as { error: Error };
    expect(answer).toMatchObject({ kind: 'refused' });
    expect(answer.error).toBeInstanceOf(ForbiddenError);
    expect(answer.error.message).toContain('AccessDeniedException');
  });

  it.each(calls)('is refused when the store refuses it: %s', async (_, call) => {
    failWith(new StoreFailedError('claim: DynamoDB answered ResourceNotFoundException', { requestId: 'r-2' }));
    const answer = (await call()) as { error: Error };
    expect(answer).toMatchObject({ kind: 'refused', error: { outcomeUnknown: false, requestId: 'r-2' } });
    expect(answer.error).toBeInstanceOf(LockServiceError);
  });

  it.each(calls)('never rejects, whatever is thrown: %s', async (_, call) => {
    failWith(new TypeError('a fault of our own'));
    expect(await call()).toMatchObject({
      kind: 'unknown',
      answered: false,
      error: { message: 'a fault of our own', outcomeUnknown: true, cause: expect.any(TypeError) },
    });
    failWith('a text');
    expect(await call()).toMatchObject({ kind: 'unknown', error: { message: 'a text' } });
  });

  it.each(calls)(
    'is of unknown outcome when the store is silent for as long as it may take: %s',
    async (name, call) => {
      open({ before: () => new Promise(() => undefined) });
      const asked = call();
      const withinMs = name === 'acquire' ? 25_000 : 5_000;
      let answer: unknown;
      void asked.then((settled) => {
        answer = settled;
      });
      await jest.advanceTimersByTimeAsync(withinMs - 1);
      expect(answer).toBeUndefined();
      await jest.advanceTimersByTimeAsync(1);
      expect(answer).toMatchObject({
        kind: 'unknown',
        answered: false,
        error: { outcomeUnknown: true, message: `${name} got no answer within ${withinMs} ms` },
      });
    },
  );

  it('is heard of no more when the store fails later still', async () => {
    let fail: (error: Error) => void = () => undefined;
    open({
      before: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    });
    const asked = backend.try(leaseOf(alice), 100);
    await jest.advanceTimersByTimeAsync(100);
    expect(await asked).toMatchObject({ kind: 'unknown' });
    const unhandled = jest.fn();
    process.once('unhandledRejection', unhandled);
    fail(new Error('too late'));
    await jest.advanceTimersByTimeAsync(10);
    process.removeListener('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

it('keeps everybody in line waiting, however many', async () => {
  await backend.try(leaseOf(carol), 5_000);
  const waiters = Array.from({ length: 12 }, (_, at) => ({
    token: `${'w'.repeat(20)}${at + 10}`,
    abort: new AbortController(),
  }));
  const tokens = waiters.map(({ token }) => token);
  const waits = waiters.map(({ token, abort }) => backend.acquire(waitOf(token, { signal: abort.signal }), 25_000));
  await jest.advanceTimersByTimeAsync(15_000);
  expect(items.get('a')?.queue).toEqual(tokens);
  for (const token of tokens) expect(items.get('a')?.tickets[token]).toBeGreaterThan(Date.now());
  for (const { abort } of waiters) {
    abort.abort();
    await jest.advanceTimersByTimeAsync(1);
  }
  expect(await Promise.all(waits)).toEqual(tokens.map(() => ({ kind: 'spent' })));
  expect(items.get('a')?.queue).toEqual([]);
});
