import { type Join, StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import { defaultTiming } from '../../../../lambda/service/timing.ts';
import { alice, bob, carol, heldItem, lineOf, margin, T0, tokenOf, withLine } from '../../../support/lock-items.ts';
import {
  acquireOf,
  embeddedTiming,
  momentsOf,
  operationsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

const ttl = 1_800_700_000;
const lost = new StoreUnavailableError('lost');
const long = { until: T0 + 600_000 };

describe('joining the line', () => {
  it('takes the last place, by one write after the refused claim', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a'), { [carol]: T0 + 25_000 })] });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 5_000 }));
    await setup.time.advance(0);
    expect(operationsOf(setup)).toEqual(['claim', 'join']);
    expect(setup.items.get('a')).toMatchObject({
      owner: alice,
      queue: [carol, bob],
      tickets: { [carol]: T0 + 25_000, [bob]: T0 + 10_000 },
    });
    await setup.time.run(waiting);
  });

  it('happens once when its reply is lost and the request is repeated', async () => {
    const setup = serviceUnderTest({
      items: [withLine(heldItem('a'), { [carol]: T0 + 25_000 })],
      interposition: {
        after({ operation, index }) {
          if (operation === 'join' && index === 0) throw lost;
        },
      },
    });
    await expect(setup.service.acquire(acquireOf(bob))).rejects.toBe(lost);
    expect(setup.items.get('a')).toMatchObject({ queue: [carol, bob] });
    const again = setup.service.acquire(acquireOf(bob));
    await setup.time.advance(1_000);
    expect(setup.items.get('a')).toMatchObject({ queue: [carol, bob] });
    expect(momentsOf(setup, 'join')).toEqual([0]);
    await setup.others.release({ lockId: 'a', me: alice, ttl });
    await setup.time.run(again);
  });

  it('happens once when a duplicate of it gets through first', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        async before({ operation, argument }) {
          if (operation === 'join') await setup.others.join(argument as Join);
        },
      },
    });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 1_000 }));
    await setup.time.advance(500);
    expect(setup.items.get('a')).toMatchObject({ queue: [bob] });
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'held', waiters: 0 });
  });

  it('happens once when two requests with the same token wait at once, and both find the grant', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const both = Promise.all([
      setup.service.acquire(acquireOf(bob, { confirm: true })),
      setup.service.acquire(acquireOf(bob, { confirm: true })),
    ]);
    await setup.time.advance(1_000);
    expect(setup.items.get('a')).toMatchObject({ queue: [bob] });
    await setup.service.release({ lockId: 'a', ownerToken: alice });
    const grant = { kind: 'granted', provisional: true, fencingToken: 101 };
    expect(await setup.time.run(both)).toMatchObject([grant, grant]);
  });

  it('claims instead when the lock came free meanwhile', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        async before({ operation }) {
          if (operation === 'join') await setup.others.release({ lockId: 'a', me: alice, ttl });
        },
      },
    });
    expect(await setup.service.acquire(acquireOf(bob))).toMatchObject({ kind: 'granted', fencingToken: 101 });
    expect(operationsOf(setup)).toEqual(['claim', 'join', 'claim']);
  });

  it('claims instead when the item vanished meanwhile', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        before({ operation }) {
          if (operation === 'join') setup.items.delete('a');
        },
      },
    });
    expect(await setup.service.acquire(acquireOf(bob))).toMatchObject({ kind: 'granted', fencingToken: T0 + 1 });
  });

  it('is refused a token that became spent meanwhile', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        before({ operation }) {
          if (operation === 'join') setup.items.set('a', heldItem('a', { broken: bob }));
        },
      },
    });
    expect(await setup.service.acquire(acquireOf(bob))).toEqual({ kind: 'token-spent' });
  });
});

describe('a line of a deployment that lets few stand in it', () => {
  const fewMayWait = (waiters: number, lineLimit: number) =>
    serviceUnderTest({
      items: [withLine(heldItem('a', long), lineOf(waiters, T0 + 600_000))],
      timing: { ...defaultTiming, lineLimit },
    });

  it.each([1, 4, 8, 64])('is joined while it is below its limit of %d', async (lineLimit) => {
    const setup = fewMayWait(lineLimit - 1, lineLimit);
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 1_000, keepPlace: true })));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: lineLimit });
  });

  it.each([
    [1, 1],
    [4, 4],
    [8, 8],
    [64, 64],
    // As after the deployment's limit was lowered.
    [9, 4],
  ])(
    'of %d, with a limit of %d, is neither joined nor waited beside: the caller is told when to ask again',
    async (waiters, lineLimit) => {
      const setup = fewMayWait(waiters, lineLimit);
      const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { keepPlace: true })));
      expect(outcome).toMatchObject({ kind: 'held', waiters });
      const { retryAfterMs } = outcome as { retryAfterMs: number };
      expect(retryAfterMs).toBeGreaterThanOrEqual(1_000);
      expect(retryAfterMs).toBeLessThanOrEqual(5_000);
      expect(operationsOf(setup)).toEqual(['claim']);
      expect(setup.time.now()).toBe(T0);
    },
  );

  it('keeps the places that were given before the limit was lowered', async () => {
    const setup = fewMayWait(9, 4);
    const acquire = acquireOf(tokenOf('waiter8'), { waitMs: 1_000, keepPlace: true, resume: true });
    expect(await setup.time.run(setup.service.acquire(acquire))).toMatchObject({ kind: 'still-waiting', position: 9 });
    expect(setup.items.get('a')?.queue).toHaveLength(9);
  });
});

describe('a full line, outside of which its service keeps a caller waiting', () => {
  // The chance 0 is a look every second, the chance 1 a look every five.
  const outsideOf = (waiters: number, ticketEnd: number, hold = long, random = () => 0) =>
    serviceUnderTest({
      items: [withLine(heldItem('a', hold), lineOf(waiters, ticketEnd))],
      timing: embeddedTiming,
      random,
    });

  it.each([
    ['the least', 0, 1_000],
    ['half', 0.5, 3_000],
    ['the most', 0.999_999_999, 5_000],
  ])('is looked at with %s chance %d every %d ms, eventually consistent, and not written to', async (_, chance, ms) => {
    const setup = outsideOf(64, T0 + 600_000, long, () => chance);
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: ms * 3.5 })));
    expect(outcome).toMatchObject({ kind: 'held', waiters: 64 });
    expect(operationsOf(setup)).toEqual(['claim', 'read', 'read', 'read', 'read']);
    expect(momentsOf(setup, 'read').map(Math.round)).toEqual([ms, ms * 2, ms * 3, ms * 3.5]);
    for (const { operation, argument } of setup.store.calls) {
      if (operation === 'read') expect(argument).toEqual({ lockId: 'a', consistent: false });
    }
    expect(setup.items.get('a')?.rev).toBe(7);
  });

  it('is joined as soon as a look shows room, and not before', async () => {
    const setup = outsideOf(64, T0 + 600_000);
    const leaves = setup.time.at(T0 + 2_500, () =>
      setup.others.leave({ lockId: 'a', me: tokenOf('waiter10'), place: 10 }),
    );
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 10_000 }));
    await setup.time.run(leaves);
    expect(momentsOf(setup, 'join')).toEqual([]);
    await setup.time.advance(1_000);
    expect(momentsOf(setup, 'join')).toEqual([3_000]);
    expect(setup.items.get('a')?.queue).toHaveLength(64);
    expect(setup.items.get('a')?.queue[63]).toBe(bob);
    await setup.time.run(waiting);
    expect(setup.items.get('a')?.queue).not.toContain(bob);
  });

  it('is joined at once while it has one place left', async () => {
    const setup = outsideOf(63, T0 + 600_000);
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 2_000 }));
    await setup.time.advance(0);
    expect(operationsOf(setup)).toEqual(['claim', 'join']);
    await setup.time.run(waiting);
  });

  it('is waited beside when it filled up meanwhile', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [withLine(heldItem('a', long), lineOf(63, T0 + 600_000))],
      timing: embeddedTiming,
      interposition: {
        async before({ operation, index }) {
          if (operation !== 'join' || index > 0) return;
          await setup.others.join({ lockId: 'a', me: carol, ticketEnd: T0 + 600_000, lineLimit: 64 });
        },
      },
    });
    expect(await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 4_000 })))).toMatchObject({
      kind: 'held',
      waiters: 64,
    });
    expect(operationsOf(setup)).toEqual(['claim', 'join', 'read', 'read']);
  });

  it('is passed once the lease is over and everybody in it is dead, not earlier', async () => {
    // The last ticket counts as ended at 3.5 s; looks come every second.
    const setup = outsideOf(64, T0 + 3_000, { until: T0 + 1_000 });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { confirm: true })));
    expect(outcome).toMatchObject({ kind: 'granted', provisional: true, fencingToken: 101, now: T0 + 4_000 });
    expect(momentsOf(setup, 'claimPast')).toEqual([4_000]);
    expect(setup.items.get('a')).toMatchObject({ owner: bob, until: T0 + 7_000, queue: [] });
  });

  it('lets somebody find a place, or the lock, that an old repeat of the same token got', async () => {
    const setup = outsideOf(64, T0 + 600_000);
    const item = setup.items.get('a') ?? heldItem('a');
    const repeat = setup.time.at(T0 + 500, () => {
      const queue = [...item.queue.slice(0, 63), bob];
      setup.items.set('a', { ...item, queue, tickets: { ...item.tickets, [bob]: T0 + 600_000 } });
    });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 20_000, confirm: true }));
    await setup.time.run(repeat);
    await setup.time.advance(1_000);
    setup.items.set('a', heldItem('a', { owner: bob, fence: 101 }));
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'granted', provisional: false, fencingToken: 101 });
    expect(momentsOf(setup, 'join')).toEqual([]);
  });
});

describe('a full line of a service that keeps only the first waiting', () => {
  it.each([false, true])(
    'turns a caller away at once, with advice when to try again (keepPlace: %s)',
    async (keepPlace) => {
      const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), lineOf(64, T0 + 25_000))] });
      const outcome = await setup.service.acquire(acquireOf(bob, { keepPlace }));
      expect(outcome).toMatchObject({ kind: 'held', waiters: 64, retryAfterMs: 3_000 });
      expect(operationsOf(setup)).toEqual(['claim']);
    },
  );
});

describe('a line longer than those who are kept waiting', () => {
  const line = (waiters: number) => withLine(heldItem('a', long), lineOf(waiters, T0 + 25_000));

  it('is not joined by a caller that does not come back: it is told "held" at once', async () => {
    const setup = serviceUnderTest({ items: [line(8)] });
    const outcome = await setup.service.acquire(acquireOf(bob));
    expect(outcome).toMatchObject({ kind: 'held', waiters: 8, retryAfterMs: 2_000 });
    expect(operationsOf(setup)).toEqual(['claim']);
  });

  it('is joined by the eighth, who is kept waiting', async () => {
    const setup = serviceUnderTest({ items: [line(7)] });
    expect(await setup.time.run(setup.service.acquire(acquireOf(bob)))).toMatchObject({ kind: 'held', waiters: 7 });
    expect(operationsOf(setup).slice(0, 3)).toEqual(['claim', 'join', 'read']);
    expect(setup.time.now()).toBe(T0 + 20_000);
  });

  it('is left again by a caller that got behind the first after all, and does not come back', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [line(7)],
      interposition: {
        async before({ operation }) {
          if (operation !== 'join') return;
          await setup.others.join({ lockId: 'a', me: carol, ticketEnd: T0 + 25_000, lineLimit: 64 });
        },
      },
    });
    expect(await setup.service.acquire(acquireOf(bob))).toMatchObject({ kind: 'held', waiters: 8 });
    expect(setup.items.get('a')?.queue).not.toContain(bob);
  });

  it.each([
    [9, 250],
    [10, 500],
    [15, 1_750],
    [16, 2_000],
    [17, 2_000],
    [64, 2_000],
  ])('gives place %d to a caller that comes back, and says when: after %d ms', async (position, retryAfterMs) => {
    const setup = serviceUnderTest({ items: [line(position - 1)] });
    const outcome = await setup.service.acquire(acquireOf(bob, { keepPlace: true }));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position, waiters: position, retryAfterMs });
    expect(setup.items.get('a')?.tickets[bob]).toBe(T0 + 10_000);
  });

  it.each([
    [9, 0, 250],
    [9, 250, 250],
    [9, 800, 800],
    [9, 30_000, 2_000],
    [10, 800, 1_600],
    [12, 800, 2_000],
  ])(
    'sends place %d away for longer when the present hold has lasted: %d ms, back after %d ms',
    async (position, heldMs, retryAfterMs) => {
      const setup = serviceUnderTest({ items: [{ ...line(position - 1), since: T0 - heldMs }] });
      const outcome = await setup.service.acquire(acquireOf(bob, { keepPlace: true }));
      expect(outcome).toMatchObject({ kind: 'still-waiting', position, retryAfterMs });
    },
  );

  it('tells them the same as ever when the holder began on a clock that is ahead', async () => {
    const setup = serviceUnderTest({ items: [{ ...line(8), since: T0 + margin }] });
    const outcome = await setup.service.acquire(acquireOf(bob, { keepPlace: true }));
    expect(outcome).toMatchObject({ kind: 'still-waiting', retryAfterMs: 250 });
  });

  it('tells them to come back soon enough for a hand-over just after they left: within the claim window', () => {
    const { comeBackMs, claimWindowMs } = defaultTiming;
    expect(comeBackMs.max).toBeLessThan(claimWindowMs - margin);
  });
});

describe('a line of dead waiters while the lock is held', () => {
  it('keeps nobody from being kept waiting, and shows the place as it is', async () => {
    const setup = serviceUnderTest({
      items: [withLine(heldItem('a', { until: T0 + 600_000 }), lineOf(20, T0 - 60_000))],
    });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 3_000, keepPlace: true })));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: 21, retryAfterMs: 0 });
    expect(setup.time.now()).toBe(T0 + 3_000);
    expect(await setup.time.run(setup.service.acquire(acquireOf(carol, { waitMs: 2_000 })))).toMatchObject({
      kind: 'held',
    });
    expect(setup.time.now()).toBe(T0 + 5_000);
  });
});
