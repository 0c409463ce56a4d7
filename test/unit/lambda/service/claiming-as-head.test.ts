import type { ClaimAsHead } from '../../../../lambda/service/lock-store.ts';
import {
  alice,
  bob,
  carol,
  claimAsHeadOf,
  dave,
  heldItem,
  margin,
  renewOf,
  T0,
  withLine,
} from '../../../support/lock-items.ts';
import {
  acquireOf,
  embeddedTiming,
  momentsOf,
  operationsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

const lasting = T0 + 600_000;
const endsAt = T0 + 1_003;
const window = 3_000;

/** A line behind a holder who is dead, with the tickets' ends; the lease ends 1,003 ms after T0. */
function behindDeadHolder(tickets: Record<string, number>, more: Parameters<typeof serviceUnderTest>[0] = {}) {
  return serviceUnderTest({
    items: [withLine(heldItem('a', { until: endsAt }), tickets)],
    timing: embeddedTiming,
    ...more,
  });
}

const resumed = (owner: string, more: Partial<Parameters<typeof acquireOf>[1]> = {}) =>
  acquireOf(owner, { resume: true, ...more });

describe('a line behind a holder that died', () => {
  it('gives the lock to its first waiter at the lease’s end plus the margin', async () => {
    const setup = behindDeadHolder({ [bob]: lasting, [carol]: lasting });
    const outcome = await setup.time.run(setup.service.acquire(resumed(bob)));
    expect(outcome).toMatchObject({
      kind: 'granted',
      provisional: false,
      fencingToken: 101,
      now: endsAt + margin,
      until: endsAt + margin + 30_000,
      waiters: 1,
    });
    expect(setup.items.get('a')).toMatchObject({ owner: bob, queue: [carol], tickets: { [carol]: lasting } });
  });

  it('gives it provisionally where the caller confirms', async () => {
    const setup = behindDeadHolder({ [bob]: lasting });
    const outcome = await setup.time.run(setup.service.acquire(resumed(bob, { confirm: true })));
    expect(outcome).toMatchObject({ provisional: true, leaseMs: window, until: endsAt + margin + window });
    expect(setup.items.get('a')).toMatchObject({ owner: bob, until: endsAt + margin + window });
    expect(setup.items.get('a')).not.toHaveProperty('principal');
  });

  it('gives nothing while the holder renews', async () => {
    const setup = behindDeadHolder({ [bob]: lasting });
    const renewed = setup.time.at(T0 + 900, () => setup.others.renew(renewOf('a', alice, T0 + 60_000)));
    const waiting = setup.service.acquire(resumed(bob, { waitMs: 5_000 }));
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'held' });
    await renewed;
    expect(momentsOf(setup, 'claimAsHead')).toEqual([]);
  });

  it('gives nothing when the holder renews at the very moment of the claim, and waits on from the refusal', async () => {
    const setup: ServiceUnderTest = behindDeadHolder(
      { [bob]: lasting },
      {
        interposition: {
          async before({ operation, index }) {
            if (operation === 'claimAsHead' && index === 0) await setup.others.renew(renewOf('a', alice, T0 + 5_000));
          },
        },
      },
    );
    expect(await setup.time.run(setup.service.acquire(resumed(bob)))).toMatchObject({ now: T0 + 5_000 + margin });
    expect(momentsOf(setup, 'claimAsHead')).toEqual([1_503, 5_500]);
  });

  it('lets the second pass a first whose ticket has ended, removing both from the line', async () => {
    const setup = behindDeadHolder({ [carol]: T0 + 1_000, [bob]: lasting, [dave]: lasting });
    const outcome = await setup.time.run(setup.service.acquire(resumed(bob)));
    expect(outcome).toMatchObject({ kind: 'granted', now: endsAt + margin });
    expect(setup.items.get('a')).toMatchObject({ owner: bob, queue: [dave], tickets: { [dave]: lasting } });
    expect(setup.store.calls.at(-1)?.argument).toMatchObject({ before: [carol], skipped: [carol] });
  });

  it('lets the second pass a first who let its claim window pass, and no millisecond earlier', async () => {
    const setup = behindDeadHolder({ [carol]: lasting, [bob]: lasting });
    const waiting = setup.service.acquire(resumed(bob));
    await setup.time.advance(1_003 + margin + window - 1);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [carol, bob] });
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'granted', now: endsAt + margin + window });
    expect(setup.store.calls.at(-1)?.argument).toMatchObject({ before: [carol], skipped: [] });
  });

  it('gives each live waiter before a window of its own: the third claims after two', async () => {
    const setup = behindDeadHolder({ [carol]: lasting, [dave]: lasting, [bob]: lasting });
    expect(await setup.time.run(setup.service.acquire(resumed(bob)))).toMatchObject({
      now: endsAt + margin + 2 * window,
    });
    expect(setup.items.get('a')).toMatchObject({ owner: bob, queue: [] });
  });

  it('lets the first have it when all of them look', async () => {
    const setup = behindDeadHolder({ [carol]: lasting, [dave]: lasting, [bob]: lasting });
    const [first, second, third] = await setup.time.run(
      Promise.all([carol, dave, bob].map((owner) => setup.service.acquire(resumed(owner, { waitMs: 5_000 })))),
    );
    expect(first).toMatchObject({ kind: 'granted', now: endsAt + margin });
    expect([second, third]).toMatchObject([{ kind: 'held' }, { kind: 'held' }]);
  });

  // Carol, first, is dead, and her ticket ends only when dave's window, as second, is already open.
  it('never lets the third pass the live second because the dead first one’s ticket ends late', async () => {
    const late = endsAt + window + 200;
    const setup = behindDeadHolder({ [carol]: late, [dave]: lasting, [bob]: lasting });
    const waiting = setup.service.acquire(resumed(bob));
    // Dave may claim from the end of carol's window on; for bob, his own window comes after that.
    await setup.time.advance(1_003 + margin + 2 * window - 1);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [carol, dave, bob] });
    const second = await setup.service.acquire(resumed(dave));
    expect(second).toMatchObject({ kind: 'granted', ownerToken: dave });
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'held' });
  });

  it('gives it to the third after two windows, although the dead first one’s ticket ends between them', async () => {
    const setup = behindDeadHolder({ [carol]: endsAt + window + 200, [dave]: lasting, [bob]: lasting });
    expect(await setup.time.run(setup.service.acquire(resumed(bob)))).toMatchObject({
      kind: 'granted',
      now: endsAt + margin + 2 * window,
    });
  });

  it('never lets the third pass the second although its own look shows a first whose ticket it takes for ended', async () => {
    const setup: ServiceUnderTest = behindDeadHolder(
      { [carol]: endsAt, [dave]: lasting, [bob]: lasting },
      {
        interposition: {
          async before({ operation, index }) {
            if (operation !== 'claimAsHead' || index > 0) return;
            await setup.others.keepTicket({ lockId: 'a', me: carol, ticketEnd: lasting });
          },
        },
      },
    );
    const outcome = await setup.time.run(setup.service.acquire(resumed(bob)));
    expect(momentsOf(setup, 'claimAsHead')).toEqual([1_503 + window, 1_503 + 2 * window]);
    expect(outcome).toMatchObject({ now: endsAt + margin + 2 * window });
  });

  it('gives it to a newcomer at once when everybody before has let its window pass, provisionally', async () => {
    const longOver = heldItem('a', { until: T0 - margin - window });
    const setup = serviceUnderTest({ items: [withLine(longOver, { [carol]: lasting })] });
    const outcome = await setup.service.acquire(acquireOf(bob, { confirm: true }));
    expect(outcome).toMatchObject({ kind: 'granted', provisional: true, until: T0 + window, fencingToken: 101 });
    expect(operationsOf(setup)).toEqual(['claim', 'join', 'claimAsHead']);
  });

  it('decides again when its place moved at the moment of the claim', async () => {
    const setup: ServiceUnderTest = behindDeadHolder(
      { [carol]: T0, [bob]: lasting },
      {
        interposition: {
          async before({ operation, index }) {
            if (operation === 'claimAsHead' && index === 0)
              await setup.others.leave({ lockId: 'a', me: carol, place: 0 });
          },
        },
      },
    );
    expect(await setup.time.run(setup.service.acquire(resumed(bob)))).toMatchObject({
      kind: 'granted',
      now: endsAt + margin,
    });
    const claims = setup.store.calls.filter(({ operation }) => operation === 'claimAsHead');
    expect(claims.map(({ argument }) => (argument as ClaimAsHead).before)).toEqual([[carol], []]);
  });

  it('tells a waiter that was passed that its place is lost', async () => {
    const setup: ServiceUnderTest = behindDeadHolder(
      { [bob]: lasting, [carol]: lasting },
      {
        interposition: {
          async before({ operation }) {
            if (operation !== 'claimAsHead') return;
            // Bob's process froze here, for longer than his window.
            await setup.time.sleep(window + 1);
            const now = setup.time.now();
            const over = now - margin - window;
            await setup.others.claimAsHead(
              claimAsHeadOf('a', carol, [bob], { now, over, skipped: [], until: now + 30_000 }),
            );
          },
        },
      },
    );
    expect(await setup.time.run(setup.service.acquire(resumed(bob)))).toEqual({ kind: 'place-lost', waitedMs: 4_504 });
    expect(setup.items.get('a')).toMatchObject({ owner: carol, queue: [] });
  });

  it('finds its own claim whose reply was lost', async () => {
    const setup: ServiceUnderTest = behindDeadHolder(
      { [bob]: lasting },
      {
        interposition: {
          async before({ operation, argument }) {
            if (operation === 'claimAsHead') await setup.others.claimAsHead(argument as ClaimAsHead);
          },
        },
      },
    );
    const outcome = await setup.time.run(setup.service.acquire(resumed(bob)));
    expect(outcome).toMatchObject({ kind: 'granted', provisional: false, fencingToken: 101 });
    expect(momentsOf(setup, 'renew')).toHaveLength(1);
  });

  it('takes the lock from a holder that never confirmed, after its claim window', async () => {
    const { principal: _principal, holder: _holder, ...provisional } = heldItem('a', { until: T0 + window });
    const setup = serviceUnderTest({ items: [withLine(provisional, { [bob]: lasting })] });
    expect(await setup.time.run(setup.service.acquire(resumed(bob)))).toMatchObject({ now: T0 + window + margin });
  });
});
