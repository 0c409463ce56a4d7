import { IllegalArgumentError, LockFactory } from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { ServiceBackend } from '../../support/service-backend.ts';

let backend: ServiceBackend;
let locks: LockFactory;

beforeEach(() => {
  jest.useFakeTimers();
  backend = new ServiceBackend();
  locks = new LockFactory(backend, { leaseMs: 5_000, holder: 'of the factory' });
});

afterEach(() => jest.useRealTimers());

const nonOptions: unknown[] = [
  null,
  42,
  true,
  'text',
  Symbol('s'),
  () => 1,
  [],
  new Map(),
  new Date(),
  Promise.resolve(),
  new AbortController().signal,
];

describe('what is no options object', () => {
  it.each(nonOptions)('%p is refused by every method before any request', async (options) => {
    const lock = locks.createLock('a');
    expect(() => locks.createLock('a', options as object)).toThrow(IllegalArgumentError);
    const calls = [
      lock.acquire(options as object),
      lock.tryLock(1, 'milliseconds', options as object),
      lock.withLock(options as object, () => 1),
      locks.withLock('a', options as object, () => 1),
      locks.dispose(options as object),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(IllegalArgumentError);
    expect(backend.calls).toEqual([]);
  });

  it('is refused on a held handle too', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    await expect(lock.tryLock(0, 'milliseconds', { bogus: 1 } as object)).rejects.toThrow(IllegalArgumentError);
  });

  it.each([null, 'x', { timeoutMs: Symbol('s') }, { timeoutMs: -1 }, { timeoutMs: Number.NaN }])(
    'dispose refuses %p with a typed error',
    async (options) => {
      await expect(locks.dispose(options as never)).rejects.toThrow(IllegalArgumentError);
    },
  );
});

describe('a value that has no text', () => {
  const textless = Object.create(null);

  it('is refused with a typed error wherever it stands', async () => {
    const lock = locks.createLock('a');
    const calls = [
      lock.acquire({ leaseMs: textless }),
      lock.acquire({ holder: textless }),
      lock.tryLock(textless),
      lock.tryLock(1, textless),
      lock.lockInterruptibly(textless),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(IllegalArgumentError);
    expect(() => LockFactory.connect({ url: textless })).toThrow(IllegalArgumentError);
    expect(() => LockFactory.connect({ url: 'http://locks', region: textless })).toThrow(IllegalArgumentError);
  });

  it('is no signal either when it cannot stop listening', async () => {
    const signal = { aborted: false, addEventListener: () => undefined } as unknown as AbortSignal;
    await expect(locks.createLock('a').acquire({ signal })).rejects.toThrow(IllegalArgumentError);
    expect(backend.calls).toEqual([]);
  });
});

describe('what was got, in the message of an error,', () => {
  const messageFor = (options: object) => {
    try {
      locks.createLock('a', options);
      return 'none';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    [{ leaseMs: 5n }, /, got 5n \(bigint\)$/],
    [{ leaseMs: '5' }, /, got "5"$/],
    [{ leaseMs: [] }, /, got an array$/],
    [{ leaseMs: [5_000] }, /, got an array$/],
    [{ leaseMs: null }, /, got null$/],
    [{ leaseMs: 5.5 }, /, got 5.5$/],
    [[], /, got an array$/],
  ])('of %p shows its type', (options, message) => {
    expect(messageFor(options)).toMatch(message);
  });

  it('is cut off when it is long', () => {
    const long = 'x'.repeat(1e6);
    expect(messageFor({ holder: long })).toMatch(/, got "x{199}…$/);
    expect(messageFor({ leaseMs: { toString: () => long } })).toMatch(/, got x{200}…$/);
    expect(messageFor({ [long]: 1 })).toMatch(/^x{200}… is not an option here; known: leaseMs/);
    expect(messageFor({ leaseMs: 'x'.repeat(198) })).toMatch(/, got "x{198}"$/);
  });
});

describe('an option that is there but undefined', () => {
  const nothing = { leaseMs: undefined, holder: undefined, maxHoldMs: undefined } as object;

  it('leaves the default of the factory, and of the lock', async () => {
    const lease = await locks.createLock('a', nothing).acquire(nothing);
    expect(lease.remainingMs).toBeLessThanOrEqual(5_000);
    expect((await backend.service.inspect('a')).view.holder).toBe('of the factory');
    const shorter = await locks.createLock('b', { leaseMs: 2_000 }).acquire(nothing);
    expect(shorter.remainingMs).toBeLessThanOrEqual(2_000);
  });
});

it('a time-out longer than any timer does not end at once', async () => {
  const lease = await locks.createLock('a').acquire();
  const disposed = locks.dispose({ timeoutMs: 2 ** 31 });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(lease.isHeld).toBe(true);
  await lease.release();
  expect(await inFakeTime(disposed)).toEqual([]);
});

it('one signal serves any number of waits without a warning, and keeps no listener', async () => {
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  await new LockFactory(backend).createLock('a').lock();
  const abort = new AbortController();
  const added = jest.spyOn(abort.signal, 'addEventListener');
  const removed = jest.spyOn(abort.signal, 'removeEventListener');
  const waits = Array.from({ length: 40 }, () => locks.createLock('a').lockInterruptibly(abort.signal));
  const rejected = waits.map((wait) => expect(wait).rejects.toMatchObject({ code: 'interrupted' }));
  await jest.advanceTimersByTimeAsync(100);
  expect(added).toHaveBeenCalledTimes(1);
  abort.abort();
  await jest.advanceTimersByTimeAsync(2_000);
  await Promise.all(rejected);
  expect(removed).toHaveBeenCalledTimes(1);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

it('the body of withLock keeps the process alive whatever it waits for, and leaves no timer behind', async () => {
  let finish: () => void = () => undefined;
  const before = jest.getTimerCount();
  const done = locks.withLock(
    'a',
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  await jest.advanceTimersByTimeAsync(0);
  // Renewal and deadline of the lease, which keep nothing alive, and one that does.
  expect(jest.getTimerCount()).toBe(before + 3);
  finish();
  await inFakeTime(done);
  expect(jest.getTimerCount()).toBe(before);
});

it('a lock that was lost to maxHoldMs is free as soon as its holder is through', async () => {
  const lock = locks.createLock('a', { maxHoldMs: 2_000, leaseMs: 60_000 });
  await lock.lock();
  await jest.advanceTimersByTimeAsync(2_000);
  expect((await backend.service.inspect('a')).view.state).toBe('held');
  await expect(lock.unlock()).rejects.toMatchObject({ reason: 'max-hold' });
  await jest.advanceTimersByTimeAsync(0);
  expect((await backend.service.inspect('a')).view.state).toBe('free');
});

it.each([null, 42, 'text', () => 1])('fromEnv and connect refuse %p with a typed error', (options) => {
  expect(() => LockFactory.fromEnv(options as never)).toThrow(IllegalArgumentError);
  expect(() => LockFactory.connect(options as never)).toThrow(IllegalArgumentError);
});

describe('options of a handle', () => {
  it('are those that were checked, whatever becomes of the object', async () => {
    const options = { leaseMs: 5_000 };
    const lock = locks.createLock('a', options);
    options.leaseMs = Number.NaN;
    await lock.lock();
    expect(backend.callsOf('try')).toEqual([expect.objectContaining({ leaseMs: 5_000 })]);
  });
});

it('a misspelt option of dispose is refused, and nothing is disposed', async () => {
  await expect(locks.dispose({ timeoutms: 0 } as object)).rejects.toThrow('timeoutms is not an option here');
  expect(locks.isDisposed).toBe(false);
});
