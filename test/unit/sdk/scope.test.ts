import { AsyncLocalStorage } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InterruptedError, LeaseLostError, LockFactory, LockNotAcquiredError } from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { ServiceBackend } from '../../support/service-backend.ts';

let backend: ServiceBackend;
let locks: LockFactory;
let rivals: LockFactory;

beforeEach(() => {
  jest.useFakeTimers();
  backend = new ServiceBackend();
  locks = new LockFactory(backend, { random: () => 0.5 });
  rivals = new LockFactory(backend, { random: () => 0.5 });
});

afterEach(() => jest.useRealTimers());

const view = async () => (await backend.service.inspect('a')).view;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('withLock inside withLock of the same id', () => {
  it('runs under the outer lease, at any depth, also after an await', async () => {
    const tokens: number[] = [];
    await locks.withLock('a', async (outer) => {
      tokens.push(outer.fencingToken);
      await view();
      await locks.withLock('a', async (middle) => {
        tokens.push(middle.fencingToken);
        await view();
        tokens.push(await locks.createLock('a').withLock(({ fencingToken }) => fencingToken));
      });
      expect((await view()).state).toBe('held');
    });
    expect(new Set(tokens).size).toBe(1);
    expect(tokens).toHaveLength(3);
    expect(backend.calls.map(({ operation }) => operation)).toEqual(['try', 'release']);
    expect((await view()).state).toBe('free');
  });

  it('re-enters through a lock of another id between', async () => {
    const result = await locks.withLock('a', () =>
      locks.withLock('b', () => locks.withLock('a', ({ lockId }) => lockId)),
    );
    expect(result).toBe('a');
    expect(backend.callsOf('try').map(({ lockId }) => lockId)).toEqual(['a', 'b']);
  });

  it('does not re-enter the lock of another factory', async () => {
    await locks.withLock('a', async () => {
      await expect(rivals.withLock('a', { waitMs: 0 }, () => 'in')).rejects.toThrow(LockNotAcquiredError);
    });
  });

  it('lets the error of the inner body through and goes on', async () => {
    const seen = await locks.withLock('a', async () => {
      await expect(locks.withLock('a', () => Promise.reject(new Error('inner')))).rejects.toThrow('inner');
      return locks.withLock('a', () => 'again');
    });
    expect(seen).toBe('again');
    expect((await view()).state).toBe('free');
  });

  it('rejects when the lease is lost, before the inner body and after it', async () => {
    const inner = jest.fn();
    const lose = async () => {
      await backend.service.break({ lockId: 'a', fencingToken: (await view()).fencingToken ?? 0 });
      await jest.advanceTimersByTimeAsync(10_000);
    };
    await expect(
      locks.withLock('a', async () => {
        await expect(locks.withLock('a', lose)).rejects.toThrow(LeaseLostError);
        await expect(locks.withLock('a', inner)).rejects.toThrow(LeaseLostError);
      }),
    ).rejects.toThrow(LeaseLostError);
    expect(inner).not.toHaveBeenCalled();
  });
});

describe('branches that a body forks', () => {
  it('exclude one another, in the order in which they came', async () => {
    const log: string[] = [];
    const branch = (name: string) =>
      locks.withLock('a', async () => {
        log.push(`${name} in`);
        await sleep(100);
        log.push(`${name} out`);
      });
    await inFakeTime(locks.withLock('a', () => Promise.all(['1', '2', '3'].map(branch))));
    expect(log).toEqual(['1 in', '1 out', '2 in', '2 out', '3 in', '3 out']);
    expect(backend.callsOf('try')).toHaveLength(1);
  });

  it('may re-enter further in while a sibling waits', async () => {
    const log: string[] = [];
    const branch = (name: string) =>
      locks.withLock('a', async () => {
        await sleep(10);
        await locks.withLock('a', async () => {
          await sleep(10);
          log.push(name);
        });
        log.push(name);
      });
    await inFakeTime(locks.withLock('a', () => Promise.all([branch('1'), branch('2')])));
    expect(log).toEqual(['1', '1', '2', '2']);
  });

  it('wait for a sibling only as long as they want', async () => {
    const abort = new AbortController();
    const outcome = locks.withLock('a', async () => {
      const first = locks.withLock('a', () => sleep(1_000));
      const refused = [
        expect(locks.withLock('a', { waitMs: 0 }, () => 'in')).rejects.toThrow(LockNotAcquiredError),
        expect(locks.withLock('a', { waitMs: 500 }, () => 'in')).rejects.toThrow(LockNotAcquiredError),
        expect(locks.withLock('a', { signal: abort.signal }, () => 'in')).rejects.toThrow(InterruptedError),
      ];
      const last = locks.withLock('a', { waitMs: 2_000 }, () => 'last');
      await sleep(600);
      abort.abort();
      await Promise.all(refused);
      await first;
      return last;
    });
    expect(await inFakeTime(outcome)).toBe('last');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keep the lock until they have ended, when the body does not wait for them', async () => {
    let branch: Promise<unknown> = Promise.resolve();
    const whole = locks.withLock('a', async () => {
      branch = locks.withLock('a', () => sleep(1_000));
    });
    await jest.advanceTimersByTimeAsync(999);
    expect((await view()).state).toBe('held');
    await inFakeTime(Promise.all([whole, branch]));
    expect((await view()).state).toBe('free');
  });

  it('are outsiders when they come after the scope, or waited for it in vain', async () => {
    const tokens: number[] = [];
    const note = ({ fencingToken }: { fencingToken: number }) => {
      tokens.push(fencingToken);
    };
    const late: Promise<unknown>[] = [];
    const whole = locks.withLock('a', async (scope) => {
      note(scope);
      void locks.withLock('a', () => sleep(100));
      late.push(locks.withLock('a', note));
      late.push(sleep(1_000).then(() => locks.withLock('a', note)));
    });
    await inFakeTime(whole);
    await inFakeTime(Promise.all(late));
    expect(new Set(tokens).size).toBe(3);
    expect((await view()).state).toBe('free');
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'lose no wake-up when they come as the scope closes, %d turns later',
    async (turns) => {
      let open: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      let late: Promise<string> = Promise.resolve('');
      const whole = locks.withLock('a', async () => {
        void locks.withLock('a', () => gate);
        late = (async () => {
          await gate;
          for (let turn = 0; turn < turns; turn++) await undefined;
          return locks.withLock('a', () => 'late');
        })();
        setTimeout(open, 5);
      });
      await inFakeTime(whole, 1_000);
      expect(await inFakeTime(late, 1_000)).toBe('late');
    },
  );

  it('find the next open scope further out when their own has closed', async () => {
    const tokens: number[] = [];
    const whole = locks.withLock('a', async ({ fencingToken }) => {
      tokens.push(fencingToken);
      let late: Promise<void> = Promise.resolve();
      await locks.withLock('a', () => {
        late = sleep(500).then(() => locks.withLock('a', (scope) => void tokens.push(scope.fencingToken)));
      });
      await late;
    });
    await inFakeTime(whole);
    expect(new Set(tokens).size).toBe(1);
    expect(tokens).toHaveLength(2);
  });

  it('end with the factory that is disposed while they wait', async () => {
    const whole = locks.withLock('a', async () => {
      const first = locks.withLock('a', () => sleep(1_000));
      const second = expect(locks.withLock('a', () => 'in')).rejects.toThrow(InterruptedError);
      const disposed = locks.dispose({ timeoutMs: 10_000 });
      await second;
      await expect(locks.withLock('a', () => 'in')).rejects.toThrow(InterruptedError);
      await first;
      // It waits for its own end, so the lock is taken from it.
      expect(await disposed).toEqual(['a']);
    });
    await expect(inFakeTime(whole)).rejects.toMatchObject({ code: 'lease-lost', reason: 'disposed' });
  });
});

it('a flow that another context started is no part of the scope', async () => {
  const outside = new AsyncLocalStorage();
  const run = AsyncLocalStorage.snapshot();
  await locks.withLock('a', async () => {
    expect(outside.getStore()).toBeUndefined();
    await expect(run(() => locks.withLock('a', { waitMs: 0 }, () => 'in'))).rejects.toThrow(LockNotAcquiredError);
  });
});

it('nests through a factory of another copy of the module', async () => {
  await jest.isolateModulesAsync(async () => {
    const copy = await import('../../../sdk/index.ts');
    expect(copy.LockFactory).not.toBe(LockFactory);
    const others = new copy.LockFactory(backend, { random: () => 0.5 });
    const nested = () => locks.withLock('a', ({ fencingToken }) => fencingToken);
    await locks.withLock('a', async ({ fencingToken }) => {
      expect(await others.withLock('b', nested)).toBe(fencingToken);
      // The scopes of either copy exclude the other's: each is a factory of its own.
      await expect(others.withLock('a', { waitMs: 0 }, nested)).rejects.toThrow(copy.LockNotAcquiredError);
    });
  });
});

it('a body that starts its successor keeps nothing of those before', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const leases: WeakRef<object>[] = [];
  let rounds = 0;
  const tick = async (): Promise<void> => {
    await locks.withLock('a', async (lease) => {
      leases.push(new WeakRef(lease));
      if (++rounds < 200) setTimeout(() => void tick(), 1);
    });
  };
  await tick();
  await jest.advanceTimersByTimeAsync(1_000);
  collectGarbage();
  expect(rounds).toBe(200);
  expect(leases.filter((each) => each.deref()).length).toBeLessThan(20);
});
