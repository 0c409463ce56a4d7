import type { LockItem } from '../../../lambda/service/lock-item.ts';
import { bob, carol, dave, freeItem, heldItem, lineOf, T0, withLine } from '../../support/lock-items.ts';
import { placesInLine, ticketsUntil } from './places.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const line = { [carol]: T0 + 5_000, [bob]: T0 - 60_000, [dave]: T0 + 5_000 };

export function leaveContract(open: OpenStore): void {
  describe('leave', () => {
    let under: StoreUnderTest;
    const leave = (me: string, place: number) => under.store.leave({ lockId: 'a', me, place });
    beforeEach(async () => {
      under = await open();
    });

    it.each(placesInLine)('gives up %s with its ticket, and touches nothing else', async (_, place) => {
      const { before, waiter, behind } = place;
      const hold = heldItem('a', { last: bob, broken: carol });
      await under.seed(withLine(hold, lineOf(before.length + 1 + behind.length)));
      const item = { ...withLine(hold, ticketsUntil(T0 + 5_000, [...before, ...behind])), rev: 8 };
      expect(await leave(waiter, before.length)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each<[string, LockItem]>([
      ['a free lock', freeItem('a')],
      ['a lease that is over', heldItem('a', { until: T0 - 60_000 })],
    ])('gives up a place whose ticket ended, in the line of %s', async (_, hold) => {
      await under.seed(withLine(hold, line));
      const item = { ...withLine(hold, { [carol]: T0 + 5_000, [dave]: T0 + 5_000 }), rev: 8 };
      expect(await leave(bob, 1)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each([0, 2, 3])('is refused when somebody else, or nobody, stands at that place (index %d)', async (place) => {
      await under.seed(withLine(heldItem('a'), line));
      await expectRefusal(under, 'a', () => leave(bob, place));
    });

    it('is refused when the place moved, and the item shows where it is now', async () => {
      await under.seed(withLine(heldItem('a'), line));
      await leave(carol, 0);
      await expectRefusal(under, 'a', () => leave(bob, 1));
      expect((await under.stored('a'))?.queue.indexOf(bob)).toBe(0);
    });

    it('is refused for the owner', async () => {
      await under.seed(withLine(heldItem('a', { owner: bob }), { [carol]: T0 + 5_000 }));
      await expectRefusal(under, 'a', () => leave(bob, 0));
    });

    it('is refused when it is repeated: whoever moved up keeps the place', async () => {
      await under.seed(withLine(heldItem('a'), line));
      await leave(carol, 0);
      await expectRefusal(under, 'a', () => leave(carol, 0));
      expect(await under.stored('a')).toMatchObject({ queue: [bob, dave], rev: 8 });
    });

    it('never makes an item', async () => {
      expect(await leave(bob, 0)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
