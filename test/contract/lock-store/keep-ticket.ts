import type { LockItem } from '../../../lambda/service/lock-item.ts';
import {
  alice,
  bob,
  carol,
  claimPastOf,
  dave,
  freeItem,
  handOverOf,
  heldItem,
  nextOf,
  releasePastOf,
  T0,
  withLine,
} from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const line = { [carol]: T0 + 5_000, [bob]: T0 + 5_000, [dave]: T0 - 60_000 };

export function keepTicketContract(open: OpenStore): void {
  describe('keepTicket', () => {
    let under: StoreUnderTest;
    const keepTicket = (me: string, ticketEnd: number) => under.store.keepTicket({ lockId: 'a', me, ticketEnd });
    beforeEach(async () => {
      under = await open();
    });

    it.each<[string, LockItem]>([
      ['a held lock', heldItem('a')],
      ['a lease that is over', heldItem('a', { until: T0 - 60_000 })],
      ['a free lock', freeItem('a')],
    ])('lengthens the ticket in the line of %s, and touches nothing else but `rev`', async (_, hold) => {
      await under.seed(withLine(hold, line));
      const item = { ...withLine(hold, { ...line, [bob]: T0 + 10_000 }), rev: 8 };
      expect(await keepTicket(bob, T0 + 10_000)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('lengthens it by one millisecond', async () => {
      await under.seed(withLine(heldItem('a'), line));
      const { written, item } = await keepTicket(bob, T0 + 5_001);
      expect({ written, tickets: item?.tickets }).toEqual({ written: true, tickets: { ...line, [bob]: T0 + 5_001 } });
    });

    it('makes one that ended valid again', async () => {
      await under.seed(withLine(heldItem('a'), line));
      const { written, item } = await keepTicket(dave, T0 + 5_000);
      expect({ written, tickets: item?.tickets }).toEqual({ written: true, tickets: { ...line, [dave]: T0 + 5_000 } });
    });

    it.each([
      ['the same end', T0 + 5_000],
      ['an earlier end', T0 + 4_999],
    ])('never shortens a ticket: a late one to %s is refused', async (_, ticketEnd) => {
      await under.seed(withLine(heldItem('a'), line));
      await expectRefusal(under, 'a', () => keepTicket(bob, ticketEnd));
    });

    it('is refused for somebody who does not stand in line', async () => {
      await under.seed(withLine(heldItem('a'), { [carol]: T0 + 5_000 }));
      await expectRefusal(under, 'a', () => keepTicket(bob, T0 + 10_000));
    });

    it('is refused where there is no line', async () => {
      await under.seed(heldItem('a'));
      await expectRefusal(under, 'a', () => keepTicket(bob, T0 + 10_000));
    });

    it('is refused when it is repeated, and the item shows the ticket', async () => {
      await under.seed(withLine(heldItem('a'), line));
      await keepTicket(bob, T0 + 10_000);
      await expectRefusal(under, 'a', () => keepTicket(bob, T0 + 10_000));
      expect(await under.stored('a')).toMatchObject({ tickets: { [bob]: T0 + 10_000 }, rev: 8 });
    });

    it('brings no ticket back to somebody who left', async () => {
      await under.seed(withLine(heldItem('a'), line));
      await under.store.leave({ lockId: 'a', me: bob, place: 1 });
      await expectRefusal(under, 'a', () => keepTicket(bob, T0 + 10_000));
    });

    it('brings no ticket back to somebody who was handed the lock', async () => {
      await under.seed(withLine(heldItem('a'), { [bob]: T0 + 5_000 }));
      await under.store.handOver(handOverOf('a', alice, nextOf(bob)));
      await expectRefusal(under, 'a', () => keepTicket(bob, T0 + 10_000));
    });

    it('stops whoever saw the tickets ended before', async () => {
      await under.seed(withLine(heldItem('a', { until: T0 - 60_000 }), { [dave]: T0 - 60_000 }));
      await keepTicket(dave, T0 + 5_000);
      await expectRefusal(under, 'a', () => under.store.claimPast(claimPastOf('a', bob)));
      await expectRefusal(under, 'a', () => under.store.releasePast(releasePastOf('a', alice)));
      const looked = { lockId: 'a', victim: alice, rev: 7, fence: 100, ttl: 1_800_700_000 };
      await expectRefusal(under, 'a', () => under.store.breakHold(looked));
    });

    it('never makes an item', async () => {
      expect(await keepTicket(bob, T0 + 10_000)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
