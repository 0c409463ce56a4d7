import type { LockItem } from '../../../lambda/service/lock-item.ts';
import {
  alice,
  bob,
  carol,
  claimAsHeadOf,
  claimWindow,
  dave,
  freeItem,
  heldItem,
  joinOf,
  lineOf,
  margin,
  provisionalItem,
  T0,
  withLine,
} from '../../support/lock-items.ts';
import { placeInLine, placesInLine, ticketsUntil } from './places.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const cut = T0 - margin;
const overHold = heldItem('a', { until: cut, last: dave, broken: carol });

// What the first in line makes of an item whose hold is over: nothing is left of the holder before.
function grantedTo(me: string, { lockId, fence, last, broken, rev }: LockItem, line: Record<string, number>): LockItem {
  const remembered = { ...(last !== undefined && { last }), ...(broken !== undefined && { broken }) };
  const { ttl } = claimAsHeadOf(lockId, me, []);
  const hold = { owner: me, until: T0 + claimWindow, since: T0, fence: fence + 1 };
  return withLine({ lockId, ...hold, ...remembered, queue: [], tickets: {}, rev: rev + 1, ttl }, line);
}

export function claimAsHeadContract(open: OpenStore): void {
  describe('claimAsHead', () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });

    it.each(placesInLine)('grants to %s, provisionally, and takes those before out', async (_, place) => {
      const { before, waiter, behind } = place;
      await under.seed(
        withLine(overHold, { ...ticketsUntil(cut, before), ...ticketsUntil(T0 + 5_000, [waiter, ...behind]) }),
      );
      const item = grantedTo(waiter, overHold, ticketsUntil(T0 + 5_000, behind));
      expect(await under.store.claimAsHead(claimAsHeadOf('a', waiter, before))).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each<[string, LockItem]>([
      ['a free lock', freeItem('a')],
      ['a lease that ended exactly then', heldItem('a', { until: cut })],
      ['a provisional hold that nobody confirmed', provisionalItem('a', { until: cut })],
    ])('takes %s', async (_, hold) => {
      await under.seed(withLine(hold, { [bob]: T0 + 5_000, [carol]: T0 + 5_000 }));
      const item = grantedTo(bob, hold, { [carol]: T0 + 5_000 });
      expect(await under.store.claimAsHead(claimAsHeadOf('a', bob, []))).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('takes with a ticket of its own that ended', async () => {
      await under.seed(withLine(overHold, { [bob]: T0 - 60_000 }));
      expect(await under.store.claimAsHead(claimAsHeadOf('a', bob, []))).toMatchObject({ written: true });
    });

    it('names the holder when the grant is a whole one', async () => {
      await under.seed(withLine(overHold, { [bob]: T0 + 5_000 }));
      const identity = { principal: 'p' };
      const { item } = await under.store.claimAsHead(claimAsHeadOf('a', bob, [], { identity }));
      expect(item).toEqual({ ...grantedTo(bob, overHold, {}), principal: 'p' });
      expect(await under.stored('a')).toEqual(item);
    });

    it('is refused when the lease ended one millisecond later', async () => {
      await under.seed(withLine(heldItem('a', { until: cut + 1 }), { [bob]: T0 + 5_000 }));
      await expectRefusal(under, 'a', () => under.store.claimAsHead(claimAsHeadOf('a', bob, [])));
    });

    describe('past somebody who may still come', () => {
      const over = cut - claimWindow;
      const second = claimAsHeadOf('a', bob, [carol], { skipped: [], over });

      it.each([
        ['takes a lease that ended one claim window earlier', over, true],
        ['is refused when it ended one millisecond later than that', over + 1, false],
        ['is refused when it ended just so that the first may take it', cut, false],
      ])('%s', async (_, until, written) => {
        const line = withLine(heldItem('a', { until }), { [carol]: T0 + 5_000, [bob]: T0 + 5_000 });
        await under.seed(line);
        if (!written) return expectRefusal(under, 'a', () => under.store.claimAsHead(second));
        const item = grantedTo(bob, line, {});
        expect(await under.store.claimAsHead(second)).toEqual({ written: true, item });
        expect(await under.stored('a')).toEqual(item);
      });

      it('takes a free lock, whose window the first let pass', async () => {
        await under.seed(withLine(freeItem('a'), { [carol]: T0 + 5_000, [bob]: T0 + 5_000 }));
        expect(await under.store.claimAsHead(second)).toMatchObject({ written: true, item: { owner: bob, queue: [] } });
      });

      // dave is the first and dead, carol the second and alive: bob, the third, waits one window longer.
      it.each([
        ['takes it when the ticket of the skipped one ended by then', over, true],
        ['is refused when that ticket ended one millisecond later', over + 1, false],
        ['is refused when that ticket ended only by the clock margin ago', cut, false],
      ])('%s', async (_, ticketEnd, written) => {
        const tickets = { [dave]: ticketEnd, [carol]: T0 + 5_000, [bob]: T0 + 5_000 };
        await under.seed(withLine(heldItem('a', { until: over }), tickets));
        const third = claimAsHeadOf('a', bob, [dave, carol], { skipped: [dave], over });
        if (!written) return expectRefusal(under, 'a', () => under.store.claimAsHead(third));
        const { item } = await under.store.claimAsHead(third);
        expect(item).toMatchObject({ owner: bob, queue: [], tickets: {} });
      });
    });

    it.each([0, 3, 6])('is refused when one of those skipped has a ticket again (index %d)', async (revived) => {
      const { before, waiter } = placeInLine(7, 8);
      const tickets = { ...ticketsUntil(cut, before), [before[revived] ?? '']: cut + 1, [waiter]: T0 + 5_000 };
      await under.seed(withLine(overHold, tickets));
      await expectRefusal(under, 'a', () => under.store.claimAsHead(claimAsHeadOf('a', waiter, before)));
    });

    it('does not take a missing ticket for one that ended', async () => {
      await under.seed({ ...overHold, queue: [carol, bob], tickets: { [bob]: T0 + 5_000 } });
      await expectRefusal(under, 'a', () => under.store.claimAsHead(claimAsHeadOf('a', bob, [carol])));
    });

    it.each([
      ['somebody else stands there', { [carol]: T0 + 5_000 }],
      ['somebody before left, so that the place moved up', { [bob]: T0 + 5_000, [carol]: T0 + 5_000 }],
      ['nobody stands there', {}],
    ])('is refused when %s', async (_, line) => {
      await under.seed(withLine(overHold, line));
      const second = claimAsHeadOf('a', bob, [dave], { skipped: [] });
      await expectRefusal(under, 'a', () => under.store.claimAsHead(second));
    });

    it('is refused for somebody who stands further behind', async () => {
      await under.seed(withLine(overHold, { [carol]: T0 + 5_000, [bob]: T0 + 5_000 }));
      await expectRefusal(under, 'a', () => under.store.claimAsHead(claimAsHeadOf('a', bob, [])));
    });

    it('is refused while the lease runs, renewed since', async () => {
      await under.seed(withLine(heldItem('a'), { [bob]: T0 + 5_000 }));
      await expectRefusal(under, 'a', () => under.store.claimAsHead(claimAsHeadOf('a', bob, [])));
    });

    it('is refused when it is repeated, and the item shows the grant', async () => {
      await under.seed(withLine(overHold, { [bob]: T0 + 5_000, [carol]: T0 + 5_000 }));
      await under.store.claimAsHead(claimAsHeadOf('a', bob, []));
      await expectRefusal(under, 'a', () => under.store.claimAsHead(claimAsHeadOf('a', bob, [])));
      expect(await under.stored('a')).toMatchObject({ owner: bob, queue: [carol], fence: 101, rev: 8 });
    });

    it('is refused when it arrives again after that grant is over, for whoever is the first then', async () => {
      await under.seed(withLine(overHold, { [bob]: T0 + 5_000, [carol]: T0 + 5_000 }));
      const claim = claimAsHeadOf('a', bob, []);
      await under.store.claimAsHead(claim);
      await expectRefusal(under, 'a', () => under.store.claimAsHead({ ...claim, over: T0 + 60_000 }));
      await under.store.claimAsHead(claimAsHeadOf('a', carol, [], { over: T0 + 60_000 }));
      await under.store.join(joinOf('a', alice));
      await expectRefusal(under, 'a', () => under.store.claimAsHead({ ...claim, over: T0 + 60_000 }));
      expect(await under.stored('a')).toMatchObject({ owner: carol, queue: [alice] });
    });

    it('gives the lock to one of several who claim at once', async () => {
      const line = Object.keys(lineOf(8));
      await under.seed(withLine(overHold, ticketsUntil(cut, line)));
      const claims = line.map((me, place) => claimAsHeadOf('a', me, line.slice(0, place)));
      const results = await Promise.all(claims.map((claim) => under.store.claimAsHead(claim)));
      const granted = results.filter(({ written }) => written);
      expect(granted).toHaveLength(1);
      expect(granted[0]?.item).toEqual(await under.stored('a'));
    });

    it('never makes an item', async () => {
      const claim = claimAsHeadOf('a', bob, []);
      expect(await under.store.claimAsHead(claim)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
