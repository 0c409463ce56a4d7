import type { LockItem } from '../../../lambda/service/lock-item.ts';
import {
  alice,
  bob,
  carol,
  claimWindow,
  dave,
  freeItem,
  handOverOf,
  heldItem,
  margin,
  nextOf,
  provisionalItem,
  T0,
  withLine,
} from '../../support/lock-items.ts';
import { placeInLine, placesInLine, ticketsUntil } from './places.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const cut = T0 - margin;

// What alice's hand-over makes of it: nothing is left of the hold before, and the grant is provisional.
function handedTo(next: string, line: Record<string, number>, more: Partial<LockItem> = {}): LockItem {
  const hold = { owner: next, until: T0 + claimWindow, fence: 101, since: T0, last: alice };
  return withLine({ lockId: 'a', ...hold, queue: [], tickets: {}, rev: 8, ttl: 1_800_700_000, ...more }, line);
}

export function handOverContract(open: OpenStore): void {
  describe('handOver', () => {
    let under: StoreUnderTest;
    const toBob = handOverOf('a', alice, nextOf(bob));
    beforeEach(async () => {
      under = await open();
    });

    it.each(placesInLine)('grants to %s, provisionally, and takes those before out', async (_, place) => {
      const { before, waiter, behind } = place;
      const tickets = { ...ticketsUntil(cut, before), ...ticketsUntil(T0 + 5_000, [waiter, ...behind]) };
      await under.seed(withLine(heldItem('a', { last: dave, broken: carol }), tickets));
      const item = handedTo(waiter, ticketsUntil(T0 + 5_000, behind), { broken: carol });
      const handOver = handOverOf('a', alice, nextOf(waiter, before));
      expect(await under.store.handOver(handOver)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each<[string, LockItem]>([
      ['a lease that ended, while nobody else took it', heldItem('a', { until: T0 - 60_000 })],
      ['a provisional hold', provisionalItem('a')],
      ['a hold without a label', provisionalItem('a', { principal: 'p' })],
    ])('hands %s over', async (_, hold) => {
      await under.seed(withLine(hold, { [bob]: T0 + 5_000, [carol]: T0 + 5_000 }));
      const item = handedTo(bob, { [carol]: T0 + 5_000 });
      expect(await under.store.handOver(toBob)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('is refused on the lock of another', async () => {
      await under.seed(withLine(heldItem('a', { owner: dave }), { [bob]: T0 + 5_000 }));
      await expectRefusal(under, 'a', () => under.store.handOver(toBob));
    });

    it('is refused on a free lock, also for the one that released it', async () => {
      await under.seed(withLine(freeItem('a', { last: alice }), { [bob]: T0 + 5_000 }));
      await expectRefusal(under, 'a', () => under.store.handOver(toBob));
    });

    it.each([
      ['the next waiter left', {}],
      ['somebody else stands there', { [carol]: T0 + 5_000 }],
      ['the next waiter stands further behind', { [carol]: cut, [bob]: T0 + 5_000 }],
    ])('is refused when %s', async (_, line) => {
      await under.seed(withLine(heldItem('a'), line));
      await expectRefusal(under, 'a', () => under.store.handOver(toBob));
    });

    it('is refused when the next waiter moved up', async () => {
      await under.seed(withLine(heldItem('a'), { [bob]: T0 + 5_000, [carol]: T0 + 5_000 }));
      const handOver = handOverOf('a', alice, nextOf(bob, [dave]));
      await expectRefusal(under, 'a', () => under.store.handOver(handOver));
    });

    it.each([0, 3, 6])('is refused when one of those before has a ticket again (index %d)', async (revived) => {
      const { before, waiter } = placeInLine(7, 8);
      const tickets = { ...ticketsUntil(cut, before), [before[revived] ?? '']: cut + 1, [waiter]: T0 + 5_000 };
      await under.seed(withLine(heldItem('a'), tickets));
      const handOver = handOverOf('a', alice, nextOf(waiter, before));
      await expectRefusal(under, 'a', () => under.store.handOver(handOver));
    });

    it('keeps the place of a waiter who kept its ticket since the look', async () => {
      await under.seed(withLine(heldItem('a'), { [carol]: cut, [bob]: T0 + 5_000 }));
      await under.store.keepTicket({ lockId: 'a', me: carol, ticketEnd: T0 + 5_000 });
      await expectRefusal(under, 'a', () => under.store.handOver(handOverOf('a', alice, nextOf(bob, [carol]))));
      expect(await under.stored('a')).toMatchObject({ owner: alice, queue: [carol, bob] });
    });

    it('does not take a missing ticket for one that ended', async () => {
      await under.seed({ ...heldItem('a'), queue: [carol, bob], tickets: { [bob]: T0 + 5_000 } });
      await expectRefusal(under, 'a', () => under.store.handOver(handOverOf('a', alice, nextOf(bob, [carol]))));
    });

    it('is refused when it is repeated, and the item shows who handed over', async () => {
      await under.seed(withLine(heldItem('a'), { [bob]: T0 + 5_000, [carol]: T0 + 5_000 }));
      await under.store.handOver(toBob);
      await expectRefusal(under, 'a', () => under.store.handOver(toBob));
      await expectRefusal(under, 'a', () => under.store.handOver(handOverOf('a', alice, nextOf(carol))));
      await expectRefusal(under, 'a', () => under.store.release({ lockId: 'a', me: alice, ttl: 1 }));
      expect(await under.stored('a')).toMatchObject({ owner: bob, last: alice, fence: 101, rev: 8 });
    });

    it('is refused for a holder who was broken', async () => {
      await under.seed(withLine(heldItem('a'), { [bob]: T0 + 5_000, [carol]: T0 + 5_000 }));
      const ttl = 1_800_700_000;
      await under.store.breakHold({ lockId: 'a', victim: alice, rev: 7, fence: 100, ttl, next: nextOf(bob) });
      await expectRefusal(under, 'a', () => under.store.handOver(handOverOf('a', alice, nextOf(carol))));
      expect(await under.stored('a')).toMatchObject({ owner: bob, broken: alice });
    });

    it('never makes an item', async () => {
      expect(await under.store.handOver(toBob)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
