import {
  IllegalArgumentError,
  InterruptedError,
  LeaseLostError,
  type LockEvent,
  LockFactory,
} from '../../../sdk/index.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { ServiceBackend } from '../../support/service-backend.ts';

let backend: ServiceBackend;
// The locks of one step of an owner, and of the next.
let first: LockFactory;
let next: LockFactory;
const events: LockEvent[] = [];

beforeEach(() => {
  jest.useFakeTimers();
  backend = new ServiceBackend();
  events.length = 0;
  first = new LockFactory(backend, { random: () => 0.5 });
  next = new LockFactory(backend, { random: () => 0.5, onEvent: (event) => events.push(event) });
});

afterEach(() => jest.useRealTimers());

const acquire = () => first.createLock('a').acquire({ leaseMs: 6_000, holder: 'step 1' });
const view = async () => (await backend.service.inspect('a')).view;
const manual = { renewal: 'manual' } as const;

describe('attach', () => {
  it('goes on as the owner that it was: same fencing token, what is left of the time, no request', async () => {
    const lease = await acquire();
    const { fencingToken } = lease;
    const { since } = await view();
    await jest.advanceTimersByTimeAsync(1_000);
    const text = lease.export();
    await jest.advanceTimersByTimeAsync(3_000);
    const attached = next.attach(text, manual);
    expect(attached).toMatchObject({ lockId: 'a', fencingToken, isHeld: true });
    expect(attached.remainingMs).toBeLessThanOrEqual(2_000);
    expect(attached.remainingMs).toBeGreaterThan(1_950);
    expect(backend.calls.map(({ operation }) => operation)).toEqual(['try']);
    expect(events).toEqual([{ type: 'acquired', lockId: 'a', fencingToken, waitedMs: 0 }]);
    expect((await view()).since).toBe(since);
  });

  it('renews the whole lease under the same fencing token, and what it exports holds that', async () => {
    const lease = await acquire();
    const { fencingToken } = lease;
    const text = lease.export();
    await jest.advanceTimersByTimeAsync(5_000);
    const attached = next.attach(text, manual);
    await attached.renew();
    expect(attached.remainingMs).toBeGreaterThan(5_900);
    const renewedText = attached.export();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(next.attach(text, manual).isHeld).toBe(false);
    const again = next.attach(renewedText, manual);
    expect(again).toMatchObject({ fencingToken, isHeld: true });
    expect(await view()).toMatchObject({ state: 'held', holder: 'step 1', fencingToken });
  });

  it('renews itself unless that is to be done by hand', async () => {
    const text = (await acquire()).export();
    await jest.advanceTimersByTimeAsync(5_000);
    const attached = next.attach(text);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(attached.isHeld).toBe(true);
    await attached.release();
    expect((await view()).state).toBe('free');
  });

  it('does not use the text up: a renewal whose reply was lost is repeated with it', async () => {
    const text = (await acquire()).export();
    backend.fault = ({ operation }, index) => (operation === 'renew' && index === 0 ? 'lost-reply' : undefined);
    await expect(next.attach(text, manual).renew()).rejects.toMatchObject({ code: 'lock-service' });
    const attached = next.attach(text, manual);
    await attached.renew();
    expect(attached.remainingMs).toBeGreaterThan(5_900);
  });

  it('releases, and repeats a release that was applied without an answer', async () => {
    const text = (await acquire()).export();
    let isDeaf = true;
    backend.fault = ({ operation }) => (operation === 'release' && isDeaf ? 'lost-reply' : undefined);
    await expect(inFakeTime(next.attach(text, manual).release())).rejects.toMatchObject({ outcomeUnknown: true });
    isDeaf = false;
    expect((await view()).state).toBe('free');
    await next.attach(text, manual).release();
    expect(backend.callsOf('release').length).toBeGreaterThan(2);
  });

  it('of two, both are the one owner: the release of one ends the other, at its next renewal', async () => {
    const text = (await acquire()).export();
    const [one, other] = [first.attach(text, manual), next.attach(text, manual)];
    expect([one.isHeld, other.isHeld]).toEqual([true, true]);
    expect(one.fencingToken).toBe(other.fencingToken);
    await one.renew();
    await other.renew();
    await one.release();
    await expect(other.renew()).rejects.toMatchObject({ code: 'lease-lost', reason: 'superseded' });
    // A release that was done before is done.
    await next.attach(text, manual).release();
  });

  it('is ended by whoever adopts the text', async () => {
    const lease = await acquire();
    const { fencingToken } = lease;
    const text = lease.export();
    const attached = next.attach(text, manual);
    const adopted = await first.adopt(text, manual);
    expect(adopted.fencingToken).toBe(fencingToken + 1);
    await expect(attached.renew()).rejects.toMatchObject({ reason: 'superseded' });
    expect((await view()).fencingToken).toBe(fencingToken + 1);
    await expect(next.attach(text, manual).renew()).rejects.toThrow(LeaseLostError);
  });

  it('is lost from the start when the lease is over, and nothing is sent', async () => {
    const text = (await acquire()).export();
    await jest.advanceTimersByTimeAsync(6_000);
    for (const options of [{}, manual]) {
      events.length = 0;
      const attached = next.attach(text, options);
      expect(attached.remainingMs).toBe(0);
      expect(attached.isHeld).toBe(false);
      expect(() => attached.export()).toThrow(LeaseLostError);
      await expect(attached.renew()).rejects.toMatchObject({ reason: 'expired' });
      await expect(attached.release()).rejects.toMatchObject({ reason: 'expired' });
      expect(events.map(({ type }) => type)).toEqual(['acquired', 'lost']);
    }
    expect(backend.calls).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('counts on no more than the lease, although this clock is behind the one that wrote the text', async () => {
    const text = (await acquire()).export();
    jest.setSystemTime(Date.now() - 3_600_000);
    expect(next.attach(text, manual).remainingMs).toBeLessThanOrEqual(6_000);
  });

  it('begins a bound of the hold anew', async () => {
    const text = (await acquire()).export();
    await jest.advanceTimersByTimeAsync(2_000);
    const attached = next.attach(text, { maxHoldMs: 1_000 });
    expect(attached.remainingMs).toBe(1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(() => attached.assertHeld()).toThrow(expect.objectContaining({ reason: 'max-hold' }));
  });

  it('is given back by dispose, and refused afterwards', async () => {
    const text = (await acquire()).export();
    next.attach(text);
    expect(await inFakeTime(next.dispose())).toEqual(['a']);
    expect((await view()).state).toBe('free');
    expect(() => next.attach(text)).toThrow(InterruptedError);
  });

  it.each([undefined, 42, '', 'holdfast-lease.1.e30'])('refuses %p, which no export gave', (text) => {
    expect(() => next.attach(text as string)).toThrow(IllegalArgumentError);
  });

  it('refuses options that it does not have', async () => {
    const text = (await acquire()).export();
    expect(() => next.attach(text, { leaseMs: 5_000 } as object)).toThrow(IllegalArgumentError);
  });
});
