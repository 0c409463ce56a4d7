import { LockService } from '../../../../lambda/service/lock-service.ts';
import type { KeepTicket } from '../../../../lambda/service/lock-store.ts';
import { alice, bob, carol, heldItem, lineOf, margin, T0, withLine } from '../../../support/lock-items.ts';
import {
  acquireOf,
  attemptOf,
  embeddedTiming,
  momentsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

const long = { until: T0 + 600_000 };

const ticketsKept = ({ store }: ServiceUnderTest) =>
  store.calls
    .filter(({ operation }) => operation === 'keepTicket')
    .map(({ argument }) => (argument as KeepTicket).ticketEnd - T0);

describe('a ticket over HTTP', () => {
  it.each([1_000, 10_000, 20_000])('lasts until five seconds after a wait of %d ms, by one write', async (waitMs) => {
    const setup = serviceUnderTest({ items: [heldItem('a', long)] });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs, keepPlace: true }));
    await setup.time.advance(0);
    expect(setup.items.get('a')?.tickets).toEqual({ [bob]: T0 + waitMs + 5_000 });
    await setup.time.run(waiting);
    expect(ticketsKept(setup)).toEqual([]);
    expect(setup.items.get('a')?.rev).toBe(8);
  });

  it('is never shortened: one that lasts longer than the new wait stays', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 24_000 })] });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 2_000, resume: true, keepPlace: true }));
    await setup.time.run(waiting);
    expect(ticketsKept(setup)).toEqual([]);
    expect(setup.items.get('a')?.tickets).toEqual({ [bob]: T0 + 24_000 });
  });

  it.each([
    ['is written at once when less than half of the new one is left', 12_499],
    ['is written once less than half of the new one is left', 12_500],
  ])('%s: %d ms', async (_, leftMs) => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + leftMs })] });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 20_000, resume: true, keepPlace: true }));
    await setup.time.advance(0);
    expect(ticketsKept(setup)).toEqual(leftMs < 12_500 ? [25_000] : []);
    await setup.time.run(waiting);
    expect(ticketsKept(setup)).toEqual([25_000]);
  });
});

describe('a ticket of a caller in the same process', () => {
  it('lasts ten seconds and is renewed at half, for as long as the wait lasts', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', long)], timing: embeddedTiming });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 60_000 }));
    await setup.time.advance(0);
    expect(setup.items.get('a')?.tickets).toEqual({ [bob]: T0 + 10_000 });
    await setup.time.run(waiting);
    const moments = momentsOf(setup, 'keepTicket');
    // At the first look after each half; the last one lasts until five seconds after the wait.
    expect(moments).toEqual(Array.from({ length: 11 }, (_, at) => (at + 1) * 5_050 + (at === 10 ? 500 : 0)));
    expect(ticketsKept(setup)).toEqual(moments.map((ms) => Math.min(ms + 10_000, 65_000)));
  });

  it('lasts no longer than five seconds after the wait', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', long)], timing: embeddedTiming });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 2_000 }));
    await setup.time.advance(0);
    expect(setup.items.get('a')?.tickets).toEqual({ [bob]: T0 + 7_000 });
    await setup.time.run(waiting);
    expect(ticketsKept(setup)).toEqual([]);
  });

  it('is always valid while its caller waits, so that the lock is handed to it at any time', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', long)], timing: embeddedTiming, random: Math.random });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 120_000, confirm: true }));
    for (let seconds = 0; seconds < 100; seconds++) {
      await setup.time.advance(1_000);
      expect(setup.items.get('a')?.tickets[bob]).toBeGreaterThan(setup.time.now() + margin);
    }
    await setup.service.release({ lockId: 'a', ownerToken: alice });
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'granted', fencingToken: 101 });
  });

  it.each([
    ['still this one', 1],
    ['the next', 0],
  ])(
    'ends ten seconds and the margin after its process joined and died: %s is handed the lock',
    async (next, after) => {
      let dead = false;
      const setup: ServiceUnderTest = serviceUnderTest({
        items: [heldItem('a', long)],
        timing: embeddedTiming,
        interposition: {
          // A process that died never hears from the store again.
          before: () => (dead ? new Promise(() => undefined) : undefined),
        },
      });
      setup.service.acquire(acquireOf(bob, { waitMs: 60_000 })).catch(() => undefined);
      await setup.time.advance(1_000);
      dead = true;
      await setup.others.join({ lockId: 'a', me: carol, ticketEnd: T0 + 60_000, lineLimit: 64 });
      await setup.time.advance(9_000 + margin - after);
      const elsewhere = new LockService(setup.others, setup.time.surroundings());
      await elsewhere.release({ lockId: 'a', ownerToken: alice });
      expect(setup.items.get('a')).toMatchObject({ owner: next === 'the next' ? carol : bob });
    },
  );

  it('is kept by a later writer: an older renewal of it is refused, and the wait goes on', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a', long)],
      timing: embeddedTiming,
      interposition: {
        async before({ operation, index }) {
          if (operation === 'keepTicket' && index === 0)
            await setup.others.keepTicket({ lockId: 'a', me: bob, ticketEnd: T0 + 99_000 });
        },
      },
    });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 30_000 })));
    expect(outcome).toMatchObject({ kind: 'held' });
    expect(ticketsKept(setup)).toHaveLength(1);
    expect(setup.time.now()).toBe(T0 + 30_000);
  });

  it.each([
    [
      'handed the lock',
      (setup: ServiceUnderTest) => setup.service.release({ lockId: 'a', ownerToken: alice }),
      { kind: 'granted' },
    ],
    [
      'taken out of the line',
      (setup: ServiceUnderTest) => setup.others.leave({ lockId: 'a', me: bob, place: 0 }),
      { kind: 'place-lost' },
    ],
    ['left without an item', (setup: ServiceUnderTest) => setup.items.delete('a'), { kind: 'place-lost' }],
  ])('finds, when it cannot be kept, that its waiter was %s', async (_, act, expected) => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a', long)],
      timing: embeddedTiming,
      interposition: {
        async before({ operation }) {
          if (operation === 'keepTicket') await act(setup);
        },
      },
    });
    expect(await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 30_000 })))).toMatchObject(expected);
    expect(momentsOf(setup, 'keepTicket')).toHaveLength(1);
  });

  it('is not kept for a caller that only tries', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 })], timing: embeddedTiming });
    expect(await setup.service.try(attemptOf(bob))).toMatchObject({ kind: 'held', waiters: 1 });
    expect(ticketsKept(setup)).toEqual([]);
  });
});

describe('a ticket of a caller that is told to come back', () => {
  const crowd = lineOf(8, T0 + 600_000);

  it('lasts ten seconds, and is written anew only when less than half of that is left', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { ...crowd, [bob]: T0 + 10_000 })] });
    const comeBack = () => setup.service.acquire(acquireOf(bob, { keepPlace: true, resume: true }));
    const kept: number[] = [];
    for (let seconds = 2; seconds <= 20; seconds += 2) {
      await setup.time.advance(2_000);
      const outcome = await comeBack();
      expect(outcome).toMatchObject({ kind: 'still-waiting', resumeWithinMs: expect.any(Number) });
      // Longer than until it comes back, with the clock margin and a round trip to spare.
      expect((outcome as { resumeWithinMs: number }).resumeWithinMs).toBeGreaterThanOrEqual(5_000);
      if (ticketsKept(setup).length > kept.length) kept.push(seconds);
    }
    expect(kept).toEqual([6, 12, 18]);
    expect(setup.store.calls.filter(({ operation }) => operation === 'read')).toHaveLength(10);
  });
});
