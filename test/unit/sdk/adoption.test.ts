import { type ExportedLease, leaseText } from '../../../sdk/exported-lease.ts';
import {
  ForbiddenError,
  IllegalArgumentError,
  IllegalMonitorStateError,
  InterruptedError,
  LeaseLostError,
  LockFactory,
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

const acquire = (options = {}) => locks.createLock('a').acquire({ leaseMs: 6_000, holder: 'step 1', ...options });
const textWith = ([leaseMs, deadlineMs, fencingToken, holder]: unknown[]) => {
  const fields = { lockId: 'a', ownerToken: 't'.repeat(22), leaseMs, deadlineMs, fencingToken, holder };
  return leaseText(fields as ExportedLease);
};
const view = async () => (await backend.service.inspect('a')).view;

describe('an exported lease', () => {
  it('is not held here any more, is renewed no longer, and its release does nothing', async () => {
    const lease = await acquire();
    const text = lease.export();
    expect(text).toMatch(/^[A-Za-z0-9._-]+$/);
    expect(lease.isHeld).toBe(false);
    expect(lease.remainingMs).toBe(0);
    expect(() => lease.assertHeld()).toThrow(IllegalMonitorStateError);
    expect(() => lease.export()).toThrow(IllegalMonitorStateError);
    await expect(lease.renew()).rejects.toThrow(IllegalMonitorStateError);
    await lease.release();
    expect(`${lease} ${JSON.stringify(lease)}`).not.toContain(text);

    await jest.advanceTimersByTimeAsync(5_000);
    expect(backend.calls.map(({ operation }) => operation)).toEqual(['try']);
    expect(jest.getTimerCount()).toBe(0);
    expect((await view()).state).toBe('held');
    expect(lease.signal.aborted).toBe(false);
  });

  it('does not stand in the way of another flow of this process', async () => {
    const lease = await acquire();
    const waiting = locks.createLock('a').lock();
    lease.export();
    await inFakeTime(waiting);
    expect((await view()).holder).not.toBe('step 1');
  });

  it('cannot be made of a lease that was released, or lost', async () => {
    const released = await acquire();
    await released.release();
    expect(() => released.export()).toThrow(IllegalMonitorStateError);
    const lost = await acquire({ maxHoldMs: 1_000 });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(() => lost.export()).toThrow(LeaseLostError);
  });

  it('is not waited for, nor released, by dispose', async () => {
    const lease = await acquire();
    lease.export();
    expect(await locks.dispose()).toEqual([]);
    expect((await view()).state).toBe('held');
  });
});

describe('adopt', () => {
  it('goes on with the lease of another process: the next fencing token, same label and length, renewing itself', async () => {
    const first = await acquire();
    const { fencingToken } = first;
    await jest.advanceTimersByTimeAsync(1_000);
    const text = first.export();
    await jest.advanceTimersByTimeAsync(3_000);
    const lease = await rivals.adopt(text);
    expect(lease.fencingToken).toBe(fencingToken + 1);
    expect(lease.lockId).toBe('a');
    expect(lease.remainingMs).toBeGreaterThan(5_900);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(lease.isHeld).toBe(true);
    expect(await view()).toMatchObject({ state: 'held', holder: 'step 1' });
    await lease.release();
    expect((await view()).state).toBe('free');
  });

  it('counts the lease from before the request that took it over', async () => {
    const text = (await acquire()).export();
    backend.replyMs = 2_000;
    const lease = await inFakeTime(rivals.adopt(text));
    expect(lease.remainingMs).toBe(6_000 * 0.999 - 2_000);
  });

  it('takes what a renewal by hand and a bound of the hold allow', async () => {
    const text = (await acquire()).export();
    const lease = await rivals.adopt(text, { renewal: 'manual', maxHoldMs: 3_000 });
    expect(jest.getTimerCount()).toBe(0);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ reason: 'max-hold' }));
  });

  it('is given back by dispose', async () => {
    const text = (await acquire()).export();
    await rivals.adopt(text);
    expect(await inFakeTime(rivals.dispose())).toEqual(['a']);
    expect((await view()).state).toBe('free');
  });

  it('rejects a lease that is over without a request, although nobody took the lock', async () => {
    const text = (await acquire()).export();
    await jest.advanceTimersByTimeAsync(6_000);
    await expect(rivals.adopt(text)).rejects.toMatchObject({ code: 'lease-lost', reason: 'expired' });
    expect(backend.callsOf('release')).toHaveLength(0);
  });

  it('is possible once: whoever comes second is told, and the first is not touched', async () => {
    const text = (await acquire()).export();
    const first = await rivals.adopt(text);
    await expect(locks.adopt(text)).rejects.toMatchObject({ code: 'lease-lost', reason: 'superseded' });
    await first.renew();
    expect(first.isHeld).toBe(true);
  });

  it('does not pass over to whoever stands in line', async () => {
    const text = (await acquire()).export();
    const waiting = new LockFactory(backend, { random: () => 0.5 }).createLock('a').lock();
    await jest.advanceTimersByTimeAsync(100);
    expect((await view()).waiters).toBe(1);
    const lease = await rivals.adopt(text);
    expect(await view()).toMatchObject({ state: 'held', holder: 'step 1', waiters: 1 });
    await lease.release();
    await inFakeTime(waiting);
  });

  it('rejects a lease that was broken, or released by whoever adopted it before', async () => {
    const text = (await acquire()).export();
    await (await rivals.adopt(text)).release();
    await expect(rivals.adopt(text)).rejects.toMatchObject({ code: 'lease-lost', reason: 'superseded' });
    const second = (await acquire()).export();
    await backend.service.break({ lockId: 'a', fencingToken: (await view()).fencingToken ?? 0 });
    await expect(rivals.adopt(second)).rejects.toMatchObject({ code: 'lease-lost', reason: 'broken' });
  });

  it.each<[string, Fault]>([
    ['a lost request', unanswered()],
    ['a lost reply', 'lost-reply'],
    ['throttling', { kind: 'throttled', error: new LockServiceError('slow down', { outcomeUnknown: false }) }],
  ])('tries again after %s', async (_what, fault) => {
    const text = (await acquire()).export();
    backend.fault = ({ operation }, index) => (operation === 'release' && index < 3 ? fault : undefined);
    const lease = await inFakeTime(rivals.adopt(text));
    expect(lease.isHeld).toBe(true);
    expect(backend.callsOf('release')).toHaveLength(4);
  });

  it('rejects with what went wrong when no answer came before the lease was over', async () => {
    const text = (await acquire()).export();
    const startedAt = Date.now();
    backend.fault = ({ operation }) =>
      operation === 'release' && Date.now() < startedAt + 6_000 ? 'silence' : undefined;
    await expect(inFakeTime(rivals.adopt(text))).rejects.toThrow(LockServiceError);
    // What may have been adopted all the same is given back.
    await inFakeTime(rivals.dispose());
    expect((await view()).state).toBe('free');
  });

  it('rejects at once what the service refuses', async () => {
    const text = (await acquire()).export();
    const error = new IllegalArgumentError('leaseMs: too long');
    backend.fault = ({ operation }) => (operation === 'release' ? { kind: 'refused', error } : undefined);
    await expect(rivals.adopt(text)).rejects.toBe(error);
  });

  it('rejects in a factory that is disposed, also meanwhile, and then gives the lock back', async () => {
    const text = (await acquire()).export();
    backend.replyMs = 100;
    const adopting = expect(rivals.adopt(text)).rejects.toThrow(InterruptedError);
    await inFakeTime(rivals.dispose());
    // Whoever exits now leaves nothing behind.
    expect((await view()).state).toBe('free');
    await adopting;
    await expect(rivals.adopt(text)).rejects.toThrow(InterruptedError);
  });

  it('is not tried again in a factory that is disposed, and what may have been adopted is given back', async () => {
    const text = (await acquire()).export();
    backend.fault = ({ operation }, index) => (operation === 'release' && index === 0 ? 'silence' : undefined);
    const adopting = expect(rivals.adopt(text)).rejects.toThrow(LockServiceError);
    await inFakeTime(rivals.dispose());
    expect((await view()).state).toBe('free');
    await adopting;
    expect(backend.releases.filter(({ heir }) => heir)).toHaveLength(1);
  });

  it('that is refused after an attempt of unknown outcome gives back what that may have adopted', async () => {
    const text = (await acquire()).export();
    const error = new ForbiddenError('no');
    backend.fault = ({ operation }, index) => {
      if (operation !== 'release') return undefined;
      return index === 0 ? 'lost-reply' : index === 1 ? { kind: 'refused', error } : undefined;
    };
    await expect(inFakeTime(rivals.adopt(text))).rejects.toBe(error);
    await inFakeTime(rivals.dispose());
    expect((await view()).state).toBe('free');
  });

  it.each([
    undefined,
    42,
    '',
    'holdfast-lease.1.',
    'holdfast-lease.1.!!',
    'holdfast-lease.1.e30',
    'holdfast-lease.2.W10',
  ])('refuses %p, which no export gave', async (text) => {
    await expect(rivals.adopt(text as string)).rejects.toThrow(IllegalArgumentError);
  });

  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [42, 'number'],
    ['', 'another text'],
  ])('says of %p that it got %s', async (text, got) => {
    await expect(rivals.adopt(text as string)).rejects.toThrow(`, got ${got}`);
  });

  it('refuses a text in which one character was changed, whichever and to whatever', async () => {
    const text = (await acquire()).export();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    for (let at = 0; at < text.length; at++) {
      for (const other of alphabet.replace(text.charAt(at), '')) {
        expect(() => rivals.attach(text.slice(0, at) + other + text.slice(at + 1))).toThrow(IllegalArgumentError);
      }
    }
    expect(rivals.attach(text).lockId).toBe('a');
  });

  it('shows nothing of a text that it refuses', async () => {
    const text = (await acquire()).export().slice(0, -3);
    const refusal = await rivals.adopt(text).catch((error: Error) => error);
    expect(refusal).toBeInstanceOf(IllegalArgumentError);
    expect(String(refusal)).not.toContain(text.slice(-20));
  });

  it.each<[string, unknown[]]>([
    ['a lease that is too short', [999, 0, 1]],
    ['a lease without an end', [1e15, 0, 1]],
    ['a lease of half a millisecond', [1_234.5, 0, 1]],
    ['no fencing token', [6_000, 0]],
    ['a fencing token that is none', [6_000, 0, 'step 1']],
    ['a fencing token below 1', [6_000, 0, 0]],
    ['a label that is none', [6_000, 0, 1, 42]],
    ['a label with a line break', [6_000, 0, 1, 'a\nb']],
    ['a label that is too long', [6_000, 0, 1, 'x'.repeat(257)]],
  ])('refuses a text with %s, over every backend alike', async (_what, fields) => {
    await expect(rivals.adopt(textWith(fields))).rejects.toThrow(IllegalArgumentError);
    expect(() => rivals.attach(textWith(fields))).toThrow(IllegalArgumentError);
  });

  it('takes such a text where nothing is wrong with it', async () => {
    await expect(rivals.adopt(textWith([6_000, 0, 1, 'step 1']))).rejects.toMatchObject({ reason: 'expired' });
  });

  it('refuses options that it does not have', async () => {
    const text = (await acquire()).export();
    await expect(rivals.adopt(text, { leaseMs: 5_000 } as object)).rejects.toThrow(IllegalArgumentError);
  });
});

it.each(['a b/ü', '~', '\u{1f512}'.repeat(100)])('the id %j travels as it is', async (lockId) => {
  const lease = await locks.createLock(lockId, { holder: 'Zoë' }).acquire();
  expect((await rivals.adopt(lease.export())).lockId).toBe(lockId);
});
