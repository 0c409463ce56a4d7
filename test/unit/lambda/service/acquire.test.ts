import { StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import {
  alice,
  bob,
  carol,
  freeItem,
  heldItem,
  margin,
  provisionalItem,
  T0,
  withWaiter,
} from '../../../support/lock-items.ts';
import { acquireOf, attemptOf, type ServiceUnderTest, serviceUnderTest } from '../../../support/service-under-test.ts';

const ttl = 1_800_700_000;

/** Frees alice's lock at a moment, while others sleep. */
async function releaseAt({ time, others }: ServiceUnderTest, at: number): Promise<void> {
  await time.sleep(at - time.now());
  await others.release({ lockId: 'a', me: alice, ttl });
}

describe('acquire', () => {
  it('grants a free lock by one write, without a wait', async () => {
    const { service, store, time } = serviceUnderTest({ items: [freeItem('a')] });
    expect(await service.acquire(acquireOf(bob))).toMatchObject({ kind: 'granted', fencingToken: 101, now: T0 });
    expect(store.calls.map(({ operation }) => operation)).toEqual(['claim']);
    expect(time.now()).toBe(T0);
  });

  it('waitMs 0 is one attempt: no look, no wait', async () => {
    const { service, store, time } = serviceUnderTest({ items: [heldItem('a')] });
    expect(await service.acquire(acquireOf(bob, { waitMs: 0 }))).toMatchObject({ kind: 'held', holder: 'host-a' });
    expect(store.calls.map(({ operation }) => operation)).toEqual(['claim']);
    expect(time.now()).toBe(T0);
  });

  it('takes the lock soon after its release: within one poll', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')], random: () => 0.999 });
    const { service, time } = setup;
    const released = releaseAt(setup, T0 + 7_777);
    const outcome = await time.run(service.acquire(acquireOf(bob)));
    await released;
    expect(outcome).toMatchObject({ kind: 'granted', provisional: false, leaseMs: 30_000, fencingToken: 101 });
    expect(time.now()).toBeGreaterThanOrEqual(T0 + 7_777);
    expect(time.now()).toBeLessThanOrEqual(T0 + 7_777 + 250);
    expect(outcome).toMatchObject({ now: time.now(), until: time.now() + 30_000 });
  });

  it('gives up at the end of the wait, not before and not after, and says who holds', async () => {
    const { service, time, items } = serviceUnderTest({ items: [heldItem('a')], random: () => 0.7 });
    const outcome = await time.run(service.acquire(acquireOf(bob, { waitMs: 5_000 })));
    expect(outcome).toMatchObject({ kind: 'held', holder: 'host-a', expiresInMs: 25_000 });
    expect(time.now()).toBe(T0 + 5_000);
    expect(items.get('a')).toEqual(heldItem('a'));
  });

  it('takes a lock that is freed at the very end of the wait', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const released = releaseAt(setup, T0 + 5_000);
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 5_000 })));
    await released;
    expect(outcome).toMatchObject({ kind: 'granted', now: T0 + 5_000 });
  });

  it.each([
    ['least', 0, 50],
    ['half', 0.5, 150],
    ['most', 0.9999, 250],
  ])('looks again after a random pause: with the %s chance after %d → %d ms', async (_, chance, pauseMs) => {
    const looks: number[] = [];
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      random: () => chance,
      interposition: {
        before({ operation }) {
          if (operation === 'read') looks.push(setup.time.now() - T0);
        },
      },
    });
    await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: pauseMs * 3 })));
    expect(looks).toEqual([pauseMs, pauseMs * 2, pauseMs * 3]);
  });

  it('asks for a new chance at every pause, so that waiters do not move in step', async () => {
    const chances = [0.1, 0.9, 0.4];
    const looks: number[] = [];
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      random: () => chances.shift() ?? 0,
      interposition: {
        before({ operation }) {
          if (operation === 'read') looks.push(setup.time.now() - T0);
        },
      },
    });
    await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 430 })));
    expect(looks).toEqual([70, 300, 430]);
  });

  it('looks by eventually consistent reads, and never writes while another holds', async () => {
    const { service, time, store } = serviceUnderTest({ items: [heldItem('a')] });
    await time.run(service.acquire(acquireOf(bob, { waitMs: 3_000 })));
    const [first, ...looks] = store.calls;
    expect(first?.operation).toBe('claim');
    expect(looks).toHaveLength(20);
    for (const look of looks) {
      expect(look).toMatchObject({ operation: 'read', argument: { lockId: 'a', consistent: false } });
    }
  });

  it('takes a lease that ended at exactly its end plus the clock margin, not by the next poll', async () => {
    const { service, time, store } = serviceUnderTest({
      items: [heldItem('a', { until: T0 + 1_003 })],
      random: () => 0.999,
    });
    expect(await time.run(service.acquire(acquireOf(bob)))).toMatchObject({ kind: 'granted', fencingToken: 101 });
    expect(time.now()).toBe(T0 + 1_003 + margin);
    expect(store.calls.filter(({ operation }) => operation === 'claim')).toHaveLength(2);
  });

  it('waits on when the holder renews meanwhile', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', { until: T0 + 1_000 })] });
    const { service, time, others } = setup;
    const renewed = (async () => {
      await time.sleep(900);
      const identity = { principal: 'p' };
      await others.renew({ lockId: 'a', me: alice, until: T0 + 60_000, identity, ttl });
    })();
    expect(await time.run(service.acquire(acquireOf(bob, { waitMs: 5_000 })))).toMatchObject({ kind: 'held' });
    await renewed;
    expect(time.now()).toBe(T0 + 5_000);
  });

  it('takes a lock whose item vanished', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const vanished = setup.time.sleep(1_000).then(() => setup.items.delete('a'));
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob)));
    await vanished;
    expect(outcome).toMatchObject({ kind: 'granted' });
    expect((outcome as { fencingToken: number }).fencingToken).toBeGreaterThan(T0);
  });

  it.each(['last', 'broken'] as const)('tells a spent token to stop at once (%s)', async (name) => {
    const { service, time } = serviceUnderTest({ items: [freeItem('a', { [name]: bob })] });
    expect(await service.acquire(acquireOf(bob))).toEqual({ kind: 'token-spent' });
    expect(time.now()).toBe(T0);
  });

  it('does not overtake waiters, and keeps pausing while they are there', async () => {
    const { service, time, items } = serviceUnderTest({ items: [withWaiter(freeItem('a'))] });
    expect(await time.run(service.acquire(acquireOf(bob, { waitMs: 1_000 })))).toMatchObject({
      kind: 'held',
      waiters: 1,
    });
    expect(time.now()).toBe(T0 + 1_000);
    expect(items.get('a')).toEqual(withWaiter(freeItem('a')));
  });

  it('gives the lock to one of many waiters at a time, and to all in the end', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')], random: Math.random });
    const { service, time } = setup;
    const waiters = ['w1', 'w2', 'w3', 'w4', 'w5'].map((name) => name.padEnd(22, 'x'));
    let inside = 0;
    const fences: number[] = [];
    const all = waiters.map(async (ownerToken) => {
      const outcome = await service.acquire(acquireOf(ownerToken));
      if (outcome.kind !== 'granted') throw new Error(outcome.kind);
      expect(++inside).toBe(1);
      fences.push(outcome.fencingToken);
      await time.sleep(100);
      inside--;
      await service.release({ lockId: 'a', ownerToken });
    });
    await time.run(Promise.all([...all, releaseAt(setup, T0 + 500)]));
    expect(fences).toEqual([101, 102, 103, 104, 105]);
  });

  it('passes on that the store gave no answer to a look', async () => {
    const lost = new StoreUnavailableError('lost');
    const { service, time } = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        before({ operation, index }) {
          if (operation === 'read' && index === 2) throw lost;
        },
      },
    });
    await expect(time.run(service.acquire(acquireOf(bob)))).rejects.toBe(lost);
  });

  describe('with confirm', () => {
    it('gives the first attempt the whole lease', async () => {
      const { service, items } = serviceUnderTest();
      expect(await service.acquire(acquireOf(bob, { confirm: true }))).toMatchObject({
        kind: 'granted',
        provisional: false,
        leaseMs: 30_000,
        until: T0 + 30_000,
      });
      expect(items.get('a')).toMatchObject({ principal: 'arn:aws:iam::1:user/bob' });
    });

    it('gives a grant after waiting for one claim window, with nobody’s name on it', async () => {
      const setup = serviceUnderTest({ items: [heldItem('a')] });
      const released = releaseAt(setup, T0 + 2_000);
      const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { confirm: true })));
      await released;
      const now = setup.time.now();
      expect(outcome).toMatchObject({ kind: 'granted', provisional: true, leaseMs: 3_000, now, until: now + 3_000 });
      const item = setup.items.get('a');
      expect(item).toMatchObject({ owner: bob, until: now + 3_000 });
      expect(item).not.toHaveProperty('principal');
      expect(item).not.toHaveProperty('holder');
    });

    it('is whole from the renewal on', async () => {
      const setup = serviceUnderTest({ items: [heldItem('a')] });
      const released = releaseAt(setup, T0 + 2_000);
      await setup.time.run(setup.service.acquire(acquireOf(bob, { confirm: true })));
      await released;
      const now = setup.time.now();
      expect(await setup.service.renew(attemptOf(bob))).toMatchObject({
        kind: 'granted',
        provisional: false,
        leaseMs: 30_000,
        until: now + 30_000,
      });
    });

    it('costs the others one claim window and the margin when nobody confirms', async () => {
      const setup = serviceUnderTest({ items: [heldItem('a')] });
      const released = releaseAt(setup, T0 + 2_000);
      await setup.time.run(setup.service.acquire(acquireOf(bob, { confirm: true })));
      await released;
      const vanishedAt = setup.time.now();
      const next = await setup.time.run(setup.service.acquire(acquireOf(carol)));
      expect(next).toMatchObject({ kind: 'granted', ownerToken: carol, now: vanishedAt + 3_000 + margin });
    });

    it('finds a hold of its own, and leaves it to the caller to confirm', async () => {
      // The lock becomes bob's by an old repeat of his, while this request waits.
      const setup = serviceUnderTest({ items: [heldItem('a')] });
      const mine = setup.time
        .sleep(1_000)
        .then(() => setup.items.set('a', provisionalItem('a', { owner: bob, fence: 101, until: T0 + 4_000 })));
      const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { confirm: true })));
      await mine;
      expect(outcome).toMatchObject({ kind: 'granted', provisional: true, fencingToken: 101, leaseMs: 3_000 });
      expect(setup.items.get('a')).not.toHaveProperty('principal');
    });

    it('finds what an earlier request with the same token got, and has it whole', async () => {
      const { service } = serviceUnderTest({ items: [provisionalItem('a', { owner: bob })] });
      expect(await service.acquire(acquireOf(bob, { confirm: true }))).toMatchObject({
        kind: 'granted',
        provisional: false,
        until: T0 + 30_000,
      });
    });
  });

  it('without confirm finds a hold of its own while waiting, and confirms it', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const mine = setup.time
      .sleep(1_000)
      .then(() => setup.items.set('a', provisionalItem('a', { owner: bob, fence: 101, until: T0 + 4_000 })));
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob)));
    await mine;
    expect(outcome).toMatchObject({ kind: 'granted', provisional: false, fencingToken: 101, leaseMs: 30_000 });
    expect(setup.items.get('a')).toMatchObject({ principal: 'arn:aws:iam::1:user/bob' });
  });
});
