import type { LockItem } from '../../../../lambda/service/lock-item.ts';
import { LockService } from '../../../../lambda/service/lock-service.ts';
import { StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import { embeddedTiming } from '../../../../lambda/service/timing.ts';
import { MemoryLockStore } from '../../../../lambda/store/memory-lock-store.ts';
import type { AcquireRequest, LeaseRequest } from '../../../../sdk/backend.ts';
import { ClockCheck } from '../../../../sdk/in-process/clock-check.ts';
import { ClockGuard } from '../../../../sdk/in-process/clock-guard.ts';
import { InProcessBackend } from '../../../../sdk/in-process/in-process-backend.ts';
import { processSurroundings } from '../../../../sdk/in-process/surroundings.ts';
import { ClockSkewError, LeaseLostError, LockFactory, LockServiceError } from '../../../../sdk/index.ts';
import { inFakeTime } from '../../../support/fake-timers.ts';
import { type InterposedStore, interposed, type StoreCall } from '../../../support/interposed-store.ts';
import { alice, bob, heldItem, T0 } from '../../../support/lock-items.ts';

// How far the clock of this process is ahead of the database's: each reply of the store shows it.
let aheadMs: number;
let look: () => void;
let fault: (call: StoreCall) => void;
let items: Map<string, LockItem>;
let store: InterposedStore;
let clock: ClockCheck;
let guard: ClockGuard;

beforeEach(() => {
  jest.useFakeTimers({ now: T0 });
  aheadMs = 0;
  fault = () => undefined;
  items = new Map();
  clock = new ClockCheck(500);
  const now = () => Date.now() + aheadMs;
  look = () => {
    const date = new Date(Math.floor(Date.now() / 1_000) * 1_000).toUTCString();
    clock.learn({ sentMs: now(), receivedMs: now(), date });
  };
  store = interposed(new MemoryLockStore(items), { before: (call) => fault(call), after: look });
  const service = new LockService(store, { ...processSurroundings, now }, embeddedTiming);
  guard = new ClockGuard(new InProcessBackend(service, 'embedded'), clock);
  // An earlier reply has shown it to be right.
  look();
});

afterEach(() => jest.useRealTimers());

function leaseOf(ownerToken: string): LeaseRequest {
  return { lockId: 'a', ownerToken, leaseMs: 30_000, holder: undefined };
}

function waitOf(ownerToken: string, signal = new AbortController().signal): AcquireRequest {
  return { ...leaseOf(ownerToken), waitMs: 20_000, resume: false, signal };
}

const operations = () => store.calls.map(({ operation }) => operation);

describe('while the clock is right', () => {
  it('one write acquires and one gives back', async () => {
    expect(await guard.try(leaseOf(alice), 5_000)).toMatchObject({ kind: 'granted' });
    expect(await guard.release({ ...leaseOf(alice), expectWaiters: false }, 5_000)).toEqual({ kind: 'released' });
    expect(operations()).toEqual(['claim', 'release']);
  });

  it('a look comes first when no reply has told about it for a minute', async () => {
    await jest.advanceTimersByTimeAsync(59_999);
    await guard.try(leaseOf(alice), 5_000);
    await jest.advanceTimersByTimeAsync(60_000);
    await guard.renew(leaseOf(alice), 5_000);
    expect(operations()).toEqual(['claim', 'read', 'renew']);
  });

  it.each([60_000, 50, -50, -60_000])(
    'a look comes first when the clock was set by %d ms since the last reply',
    async (ms) => {
      await guard.try(leaseOf(alice), 5_000);
      jest.setSystemTime(Date.now() + ms);
      await guard.renew(leaseOf(alice), 5_000);
      await guard.renew(leaseOf(alice), 5_000);
      expect(operations()).toEqual(['claim', 'read', 'renew', 'renew']);
    },
  );

  it('a look comes first when the clock was set while the last reply was under way', async () => {
    await guard.try(leaseOf(alice), 5_000);
    fault = () => jest.setSystemTime(Date.now() + 60_000);
    await guard.renew(leaseOf(alice), 5_000);
    fault = () => undefined;
    await guard.renew(leaseOf(alice), 5_000);
    expect(operations()).toEqual(['claim', 'renew', 'read', 'renew']);
  });

  it('a wait that is given up leaves the line at once', async () => {
    items.set('a', heldItem('a'));
    const abort = new AbortController();
    const waiting = guard.acquire(waitOf(bob, abort.signal), 25_000);
    await jest.advanceTimersByTimeAsync(1_000);
    abort.abort();
    expect(await waiting).toEqual({ kind: 'spent' });
    expect(items.get('a')?.queue).toEqual([]);
  });
});

describe('a clock that is found wrong by the reply to a claim', () => {
  it.each([
    ['ahead', 60_000, 59_000],
    ['behind', -60_000, -60_000],
  ])('gives the grant back and says by how much: %s', async (_, ms, offsetMs) => {
    aheadMs = ms;
    const answer = await guard.try(leaseOf(alice), 5_000);
    expect(answer).toMatchObject({ kind: 'refused', error: { code: 'clock-skew', offsetMs, clockSkewMs: 500 } });
    expect(answer).toMatchObject({ error: expect.any(ClockSkewError) });
    expect(items.get('a')).toMatchObject({ last: alice });
    expect(items.get('a')).not.toHaveProperty('owner');
  });

  it('refuses also when another owner holds the lock', async () => {
    items.set('a', heldItem('a'));
    aheadMs = 10_000;
    expect(await guard.try(leaseOf(bob), 5_000)).toMatchObject({ kind: 'refused', error: { code: 'clock-skew' } });
    expect(items.get('a')).toMatchObject({ owner: alice, queue: [] });
  });

  it('is of unknown outcome when the grant is not given back for sure', async () => {
    aheadMs = 60_000;
    fault = ({ operation }) => {
      if (operation === 'release') throw new StoreUnavailableError('lost');
    };
    const answer = await guard.try(leaseOf(alice), 5_000);
    expect(answer).toMatchObject({ kind: 'unknown', answered: true, error: { outcomeUnknown: true } });
    expect(answer).toMatchObject({ error: { cause: expect.any(ClockSkewError) } });
    expect(answer).toMatchObject({ error: expect.any(LockServiceError) });
  });

  it('leaves a failure as it is', async () => {
    aheadMs = 60_000;
    fault = ({ operation }) => {
      if (operation !== 'claim') return;
      look();
      throw new StoreUnavailableError('lost');
    };
    expect(await guard.try(leaseOf(alice), 5_000)).toMatchObject({ kind: 'unknown', error: { message: 'lost' } });
  });
});

describe('a clock that is known to be wrong', () => {
  beforeEach(async () => {
    aheadMs = 60_000;
    await guard.inspect('b', 5_000);
  });

  it.each([
    ['try', () => guard.try(leaseOf(alice), 5_000)],
    ['acquire', () => guard.acquire(waitOf(alice), 25_000)],
    ['renew', () => guard.renew(leaseOf(alice), 5_000)],
  ])('is looked at once more, and nothing is written: %s', async (_, call) => {
    expect(await call()).toMatchObject({ kind: 'refused', error: { code: 'clock-skew' } });
    expect(operations()).toEqual(['read', 'read']);
  });

  it.each([
    ['try', () => guard.try(leaseOf(alice), 5_000)],
    ['acquire', () => guard.acquire(waitOf(alice), 25_000)],
  ])('is believed once it was put right: %s', async (_, call) => {
    aheadMs = 0;
    expect(await call()).toMatchObject({ kind: 'granted' });
    expect(operations()).toEqual(['read', 'read', 'claim']);
  });

  it('is judged anew by a look, and a look that fails says no more than that', async () => {
    fault = ({ operation }) => {
      if (operation === 'read') throw new StoreUnavailableError('lost', { answered: false });
    };
    expect(await guard.try(leaseOf(alice), 5_000)).toMatchObject({ kind: 'unknown', answered: false });
  });

  it('keeps nobody from giving back, looking and breaking', async () => {
    items.set('a', heldItem('a'));
    expect(await guard.inspect('a', 5_000)).toMatchObject({ kind: 'viewed' });
    const query = { prefix: '', state: 'all', limit: 10, cursor: undefined } as const;
    expect(await guard.list(query, 5_000)).toMatchObject({ kind: 'listed' });
    const hold = { lockId: 'a', fencingToken: 100, note: undefined };
    expect(await guard.break({ ...hold, fencingToken: 99 }, 5_000)).toMatchObject({ kind: 'holder-changed' });
    expect(await guard.release({ ...leaseOf(alice), expectWaiters: false }, 5_000)).toEqual({ kind: 'released' });
    expect(await guard.break(hold, 5_000)).toEqual({ kind: 'not-held' });
  });

  it('passes the lock on to nobody', async () => {
    items.set('a', heldItem('a'));
    const heir = { ownerToken: bob, leaseMs: 30_000, holder: undefined };
    const released = await guard.release({ lockId: 'a', ownerToken: alice, expectWaiters: false, heir }, 5_000);
    expect(released).toEqual({ kind: 'released' });
    expect(items.get('a')).not.toHaveProperty('owner');
    expect(operations()).not.toContain('transfer');
  });
});

it('takes the lock back from an heir when that reply shows the clock to be wrong', async () => {
  items.set('a', heldItem('a'));
  aheadMs = -60_000;
  const heir = { ownerToken: bob, leaseMs: 30_000, holder: undefined };
  const released = await guard.release({ lockId: 'a', ownerToken: alice, expectWaiters: false, heir }, 5_000);
  expect(released).toEqual({ kind: 'released' });
  expect(operations()).toEqual(['transfer', 'release']);
  expect(items.get('a')).not.toHaveProperty('owner');
});

describe('a hold that goes on under another token, as one that is adopted', () => {
  const heir = { ownerToken: bob, leaseMs: 30_000, holder: undefined };
  const adopt = () =>
    guard.release({ lockId: 'a', ownerToken: alice, expectWaiters: false, heir, heirFirst: true }, 5_000);

  it('is left as it is by a clock that is known to be wrong', async () => {
    const item = heldItem('a');
    items.set('a', item);
    aheadMs = 60_000;
    look();
    expect(await adopt()).toMatchObject({ kind: 'refused', error: { code: 'clock-skew' } });
    expect(items.get('a')).toEqual(item);
    expect(operations()).toEqual(['read']);
  });

  it('is given back when the reply shows the clock to be wrong', async () => {
    items.set('a', heldItem('a'));
    aheadMs = 60_000;
    expect(await adopt()).toMatchObject({ kind: 'refused', error: { code: 'clock-skew' } });
    expect(operations()).toEqual(['transfer', 'release']);
    expect(items.get('a')).not.toHaveProperty('owner');
  });

  it('goes on by a clock that is right, looked at first when nothing is known of it', async () => {
    items.set('a', heldItem('a'));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await adopt()).toMatchObject({ kind: 'released', heir: { fencingToken: 101 } });
    expect(operations()).toEqual(['read', 'transfer']);
    expect(items.get('a')).toMatchObject({ owner: bob });
  });
});

it('stops a wait before it claims by a clock that has gone wrong, and leaves the line', async () => {
  items.set('a', heldItem('a'));
  const waiting = guard.acquire(waitOf(bob), 25_000);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(items.get('a')?.queue).toEqual([bob]);
  // By this clock the lease is over.
  aheadMs = 60_000;
  expect(await inFakeTime(waiting)).toMatchObject({ kind: 'refused', error: { code: 'clock-skew' } });
  expect(items.get('a')).toMatchObject({ owner: alice, queue: [], tickets: {} });
  expect(operations()).not.toContain('claimAsHead');
  expect(jest.getTimerCount()).toBe(0);
});

it('stops a wait before it claims by a clock that was set while a look was under way', async () => {
  items.set('a', heldItem('a'));
  const waiting = guard.acquire(waitOf(bob), 25_000);
  await jest.advanceTimersByTimeAsync(1_000);
  fault = ({ operation }) => {
    if (operation !== 'read') return;
    fault = () => undefined;
    // By this clock the lease is over.
    jest.setSystemTime(Date.now() + 60_000);
  };
  expect(await inFakeTime(waiting)).toEqual({ kind: 'spent' });
  expect(items.get('a')).toMatchObject({ owner: alice, queue: [] });
  expect(operations()).not.toContain('claimAsHead');
});

it('listens to the clock no longer than a call lasts', async () => {
  const unlisten = jest.fn();
  jest.spyOn(clock, 'onDoubt').mockReturnValue(unlisten);
  await guard.try(leaseOf(alice), 5_000);
  await guard.renew(leaseOf(alice), 5_000);
  await guard.acquire(waitOf(alice), 25_000);
  expect(clock.onDoubt).toHaveBeenCalledTimes(3);
  expect(unlisten).toHaveBeenCalledTimes(3);
});

it('closes what it guards', () => {
  const close = jest.fn();
  const backend = new InProcessBackend(new LockService(store, processSurroundings), 'embedded', close);
  new ClockGuard(backend, new ClockCheck(500)).close();
  expect(close).toHaveBeenCalledTimes(1);
});

describe('locks of a process whose clock is wrong', () => {
  let locks: LockFactory;
  beforeEach(() => {
    locks = new LockFactory(guard, { random: () => 0.5 });
  });

  it('are not acquired, and the lock is free for others', async () => {
    aheadMs = 60_000;
    await expect(inFakeTime(locks.createLock('a').lock())).rejects.toThrow(ClockSkewError);
    await expect(inFakeTime(locks.createLock('a').tryLock())).rejects.toThrow(
      /at least 59\d{3} ms ahead of DynamoDB's/,
    );
    const { view } = (await guard.inspect('a', 5_000)) as { view: { state: string } };
    expect(view.state).toBe('free');
  });

  it('are not acquired by those who wait in line either, one and all', async () => {
    items.set('a', heldItem('a', { until: T0 + 600_000 }));
    const waits = [1, 2, 3].map(() => locks.createLock('a').lock());
    const outcomes = Promise.allSettled(waits);
    await jest.advanceTimersByTimeAsync(2_000);
    aheadMs = 60_000;
    const errors = (await inFakeTime(outcomes)).map((outcome) => (outcome as PromiseRejectedResult).reason);
    expect(errors).toEqual([1, 2, 3].map(() => expect.any(ClockSkewError)));
    expect(items.get('a')?.queue).toEqual([]);
  });

  it('are acquired again once it is put right', async () => {
    aheadMs = 60_000;
    await expect(inFakeTime(locks.createLock('a').lock())).rejects.toThrow(ClockSkewError);
    aheadMs = 0;
    const lock = locks.createLock('a');
    await inFakeTime(lock.lock());
    expect(lock.isHeld).toBe(true);
  });

  it('are not renewed: a lease ends at its deadline', async () => {
    const lease = await locks.createLock('a').acquire();
    const { until } = items.get('a') ?? {};
    aheadMs = -60_000;
    await jest.advanceTimersByTimeAsync(29_000);
    expect(items.get('a')?.until).toBe(until);
    expect(lease.isHeld).toBe(true);
    await expect(lease.renew()).rejects.toThrow(ClockSkewError);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLostError);
  });

  it('are renewed again once it is put right', async () => {
    const lease = await locks.createLock('a').acquire();
    aheadMs = -60_000;
    await jest.advanceTimersByTimeAsync(20_000);
    aheadMs = 0;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(lease.isHeld).toBe(true);
    await inFakeTime(lease.release());
  });
});
