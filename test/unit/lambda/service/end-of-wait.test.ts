import { alice, bob, carol, heldItem, lineOf, margin, T0, tokenOf, withLine } from '../../../support/lock-items.ts';
import {
  acquireOf,
  embeddedTiming,
  operationsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

const long = { until: T0 + 600_000 };

/** Something else that happens just before bob's leave reaches the store the first time. */
const beforeLeave = (act: (setup: ServiceUnderTest) => unknown): ServiceUnderTest => {
  const setup: ServiceUnderTest = serviceUnderTest({
    items: [withLine(heldItem('a', long), { [carol]: T0 + 25_000 })],
    interposition: {
      async before({ operation, index }) {
        if (operation === 'leave' && index === 0) await act(setup);
      },
    },
  });
  return setup;
};

describe('the end of a wait', () => {
  it('comes when it was said, not before and not after, and leaves the line as it was', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [carol]: T0 + 25_000 })] });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 5_000 })));
    expect(outcome).toMatchObject({ kind: 'held', holder: 'host-a', expiresInMs: 595_000, waiters: 1 });
    expect(setup.time.now()).toBe(T0 + 5_000);
    expect(setup.items.get('a')).toMatchObject({ queue: [carol], tickets: { [carol]: T0 + 25_000 } });
    expect(operationsOf(setup).at(-1)).toBe('leave');
  });

  it('leaves from where the place is by then, when those before left', async () => {
    const setup = beforeLeave(({ others }) => others.leave({ lockId: 'a', me: carol, place: 0 }));
    expect(await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 1_000 })))).toMatchObject({
      kind: 'held',
      waiters: 0,
    });
    expect(operationsOf(setup).slice(-2)).toEqual(['leave', 'leave']);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [], tickets: {} });
  });

  it.each([
    [true, { provisional: true, leaseMs: 3_000 }],
    [false, { provisional: false, leaseMs: 30_000 }],
  ])('is a grant when the lock is handed over in that moment (confirm: %s)', async (confirm, grant) => {
    const setup = beforeLeave(async ({ others, service }) => {
      await others.leave({ lockId: 'a', me: carol, place: 0 });
      await service.release({ lockId: 'a', ownerToken: alice });
    });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 1_000, confirm })));
    expect(outcome).toMatchObject({ kind: 'granted', fencingToken: 101, ...grant });
    expect(setup.items.get('a')).toMatchObject({ owner: bob });
  });

  it('is the end also when somebody else took the place out of the line in that moment', async () => {
    const setup = beforeLeave(({ others }) => others.leave({ lockId: 'a', me: bob, place: 1 }));
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 1_000 })));
    expect(outcome).toMatchObject({ kind: 'held', waiters: 1 });
  });

  it('is the end also when the item vanished in that moment', async () => {
    const setup = beforeLeave(({ items }) => items.delete('a'));
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 1_000 })));
    expect(outcome).toEqual({ kind: 'place-lost', waitedMs: 1_000 });
    expect(setup.items.size).toBe(0);
  });

  it('takes a lock that is handed over at the very end', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', long)] });
    const [outcome] = await setup.time.run(
      Promise.all([
        setup.service.acquire(acquireOf(bob, { waitMs: 5_000 })),
        setup.time.at(T0 + 4_999, () => setup.service.release({ lockId: 'a', ownerToken: alice })),
      ]),
    );
    expect(outcome).toMatchObject({ kind: 'granted', now: T0 + 5_000 });
  });

  it('takes a lock whose lease is over at the very end, by the margin', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', { until: T0 + 5_000 - margin })] });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 5_000 })));
    expect(outcome).toMatchObject({ kind: 'granted', now: T0 + 5_000 });
    const early = serviceUnderTest({ items: [heldItem('a', { until: T0 + 5_000 - margin + 1 })] });
    const refused = await early.time.run(early.service.acquire(acquireOf(bob, { waitMs: 5_000 })));
    expect(refused).toMatchObject({ kind: 'held', waiters: 0 });
    expect(early.items.get('a')).toMatchObject({ owner: alice, queue: [] });
  });

  it('never comes without a time to wait for, embedded: the lock is mine after hours', async () => {
    const hours = 2 * 3_600_000;
    const setup = serviceUnderTest({
      items: [withLine(heldItem('a', { until: T0 + 2 * hours }), lineOf(19, T0 + 2 * hours))],
      timing: embeddedTiming,
    });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: Number.POSITIVE_INFINITY, confirm: true }));
    const gone = setup.time.at(T0 + hours, async () => {
      for (let at = 0; at < 19; at++) await setup.others.leave({ lockId: 'a', me: tokenOf(`waiter${at}`), place: 0 });
      await setup.service.release({ lockId: 'a', ownerToken: alice });
    });
    const [outcome] = await setup.time.run(Promise.all([waiting, gone]));
    expect(outcome).toMatchObject({ kind: 'granted', provisional: true, fencingToken: 101 });
    expect(setup.time.now()).toBeGreaterThanOrEqual(T0 + hours);
    expect(setup.time.now()).toBeLessThanOrEqual(T0 + hours + 1_000);
  });
});
