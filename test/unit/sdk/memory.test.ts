import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { IllegalArgumentError, InterruptedError, LeaseLostError, type LockFactory } from '../../../sdk/index.ts';
import { connectMemory, LockMemory, type MemoryOptions } from '../../../sdk/memory.ts';
import { inFakeTime } from '../../support/fake-timers.ts';

const run = promisify(execFile);

// What is still held when a test ends is never renewed.
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('options', () => {
  it.each([
    null,
    'memory:',
    [],
    { traceparent: 'x' },
    { leaseMs: 5 },
    { leaseMS: 5_000 },
    { waitMs: 5 },
    { unreachableAfterMs: 0 },
    { prefix: 5 },
    { memory: {} },
    { memory: null },
    { memory: 'a' },
    { memory: new Map() },
  ])('that are not valid are refused: %p', (options) => {
    expect(() => connectMemory(options as MemoryOptions)).toThrow(IllegalArgumentError);
  });

  it('may be left out, or be there without a value', () => {
    expect(() => connectMemory()).not.toThrow();
    expect(() => connectMemory({ memory: undefined, unreachableAfterMs: undefined })).not.toThrow();
    // Of use over HTTP alone, so that one set of options fits every backend.
    expect(() => connectMemory({ traceparent: () => undefined })).not.toThrow();
  });

  it('are the defaults of the locks', async () => {
    const memory = new LockMemory();
    const lease = await connectMemory({ memory, leaseMs: 5_000, holder: 'me' }).createLock('a').acquire();
    expect(lease.remainingMs).toBeLessThanOrEqual(5_000);
    const rival = connectMemory({ memory }).createLock('a').acquire({ waitMs: 0 });
    await expect(rival).rejects.toMatchObject({ holder: 'me' });
    await lease.release();
  });
});

describe('a memory', () => {
  it('is shared by the factories that are given it, and by no other', async () => {
    const memory = new LockMemory();
    await connectMemory({ memory }).createLock('a').lock();
    expect(await connectMemory({ memory }).createLock('a').tryLock()).toBe(false);
    expect(await connectMemory({ memory: new LockMemory() }).createLock('a').tryLock()).toBe(true);
    expect(await connectMemory().createLock('a').tryLock()).toBe(true);
    expect(await connectMemory().createLock('a').tryLock()).toBe(true);
  });

  it('has a part of its own for each prefix', async () => {
    const memory = new LockMemory();
    const [billing, orders] = ['billing/', 'orders/'].map((prefix) => connectMemory({ memory, prefix }));
    await billing?.createLock('a').lock();
    expect(await orders?.createLock('a').tryLock()).toBe(true);
    expect(await connectMemory({ memory }).createLock('billing/a').tryLock()).toBe(false);
  });

  it('shows its locks, lists them, and lets holds be broken', async () => {
    const locks = connectMemory({ holder: 'me' });
    const lease = await locks.createLock('a').acquire();
    await locks.createLock('b').lock();
    const view = await locks.inspect('a');
    expect(view).toMatchObject({ state: 'held', holder: 'me', principal: 'local', fencingToken: lease.fencingToken });
    expect(Date.parse(view.expiresAt ?? '') - Date.parse(view.since ?? '')).toBe(30_000);
    const listed: string[] = [];
    for await (const { lockId } of locks.list({ limit: 1 })) listed.push(lockId);
    expect(listed).toEqual(['a', 'b']);
    expect(await locks.break('a', { fencingToken: lease.fencingToken })).toMatchObject({ view: { state: 'free' } });
    await expect(lease.renew()).rejects.toMatchObject({ reason: 'broken' });
  });

  it('outlives the factories', async () => {
    const memory = new LockMemory();
    const first = connectMemory({ memory });
    const lock = first.createLock('a');
    await lock.lock();
    const { fencingToken = 0 } = lock;
    expect(await first.dispose({ timeoutMs: 0 })).toEqual(['a']);
    const lease = await connectMemory({ memory }).createLock('a').acquire({ waitMs: 0 });
    expect(lease.fencingToken).toBe(fencingToken + 1);
  });
});

describe('in fake time', () => {
  let memory: LockMemory;
  let locks: LockFactory;
  let rivals: LockFactory;

  beforeEach(() => {
    memory = new LockMemory();
    locks = connectMemory({ memory });
    rivals = connectMemory({ memory });
  });

  it('takes and gives back without any time passing, and leaves no timer', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    await lock.unlock();
    await locks.withLock('a', () => undefined);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('renews a lease for as long as it is held', async () => {
    const lease = await locks.createLock('a').acquire();
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(lease.isHeld).toBe(true);
    expect(await rivals.createLock('a').tryLock()).toBe(false);
    await lease.release();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is free in the very millisecond in which a lease ends', async () => {
    const lease = await locks.createLock('a').acquire({ leaseMs: 10_000, maxHoldMs: 1 });
    await jest.advanceTimersByTimeAsync(9_999);
    expect(lease.isHeld).toBe(false);
    expect(await rivals.createLock('a').tryLock()).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await rivals.createLock('a').tryLock()).toBe(true);
    await expect(lease.release()).rejects.toThrow(LeaseLostError);
  });

  it('hands the lock to whoever waits in another factory, first come first served', async () => {
    const holder = locks.createLock('a');
    await holder.lock();
    const order: string[] = [];
    const waits = ['b', 'c', 'd'].map(async (name) => {
      await connectMemory({ memory }).withLock('a', () => {
        order.push(name);
      });
    });
    await jest.advanceTimersByTimeAsync(30_000);
    expect(order).toEqual([]);
    await holder.unlock();
    await inFakeTime(Promise.all(waits), 2_000);
    expect(order).toEqual(['b', 'c', 'd']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves the line at once when a wait is aborted, and leaves no timer', async () => {
    await locks.createLock('a').lock();
    const abort = new AbortController();
    const waiting = rivals.createLock('a').lockInterruptibly(abort.signal);
    await jest.advanceTimersByTimeAsync(1_000);
    const timers = jest.getTimerCount();
    abort.abort();
    await expect(waiting).rejects.toThrow(InterruptedError);
    await locks.dispose({ timeoutMs: 0 });
    expect(timers).toBeGreaterThan(0);
    expect(jest.getTimerCount()).toBe(0);
    expect(await connectMemory({ memory }).createLock('a').tryLock()).toBe(true);
  });

  it('forgets what is at rest, so that it does not grow for ever', async () => {
    const query = { prefix: '', state: 'all', cut: 0, limit: 10_000 } as const;
    let most = 0;
    for (let second = 0; second < 600; second++) {
      await locks.withLock(`lock ${second}`, () => jest.setSystemTime(Date.now() + 1_000));
      const { items } = await LockMemory.storeOf(memory).list(query);
      most = Math.max(most, items.length);
    }
    expect(most).toBeLessThan(200);
  });

  it('keeps timed waits', async () => {
    await locks.createLock('a').lock();
    const startedAt = Date.now();
    expect(await inFakeTime(rivals.createLock('a').tryLock(2, 'seconds'))).toBe(false);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(2_000);
    expect(Date.now() - startedAt).toBeLessThan(2_100);
  });
});

describe('in real time', () => {
  beforeEach(() => jest.useRealTimers());

  it.each(['one factory', 'many factories'])('adds up exactly what flows add under the lock: %s', async (which) => {
    const memory = new LockMemory();
    const one = connectMemory({ memory });
    const totals = { a: 0, b: 0 };
    const fences = { a: [] as number[], b: [] as number[] };
    const flow = async () => {
      const locks = which === 'one factory' ? one : connectMemory({ memory });
      for (let round = 0; round < 5; round++) {
        for (const id of ['a', 'b'] as const) {
          await locks.withLock(id, async ({ fencingToken }) => {
            fences[id].push(fencingToken);
            const before = totals[id];
            await new Promise((resolve) => setImmediate(resolve));
            totals[id] = before + 1;
          });
        }
      }
    };
    await Promise.all(Array.from({ length: 6 }, flow));
    expect(totals).toEqual({ a: 30, b: 30 });
    for (const seen of Object.values(fences)) {
      expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other));
    }
  });

  it('a process that waits for a lock stays, and one that forgot to unlock ends', async () => {
    const program = `
      const { connectMemory } = require('./sdk/memory.ts');
      const locks = connectMemory();
      const first = locks.createLock('a');
      first.lock().then(async () => {
        setTimeout(() => first.unlock(), 300).unref();
        await locks.createLock('a').lock();
        console.log('both');
      });
    `;
    const root = join(__dirname, '..', '..', '..');
    const { stdout } = await run(process.execPath, ['--require', 'tsx/cjs', '-e', program], {
      cwd: root,
      timeout: 20_000,
    });
    expect(stdout).toBe('both\n');
  });
});
