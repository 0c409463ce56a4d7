import type { LockItem } from '../../../lambda/service/lock-item.ts';
import type { Break } from '../../../lambda/service/lock-store.ts';
import {
  alice,
  bob,
  carol,
  claimWindow,
  dave,
  freeItem,
  heldItem,
  joinOf,
  lineOf,
  margin,
  nextOf,
  provisionalItem,
  T0,
  withLine,
} from '../../support/lock-items.ts';
import { placesInLine, ticketsUntil } from './places.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const ttl = 1_800_700_000;
const looked: Break = { lockId: 'a', victim: alice, rev: 7, fence: 100, ttl };

export function breakContract(open: OpenStore): void {
  describe('break', () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });

    it.each([
      ['a held lock', heldItem('a', { last: bob })],
      ['a lease that ended without a release', heldItem('a', { last: bob, until: T0 - 60_000 })],
      ['a provisional hold', provisionalItem('a', { last: bob })],
    ])('frees %s, leaves `last`, remembers the victim, and grows the fence', async (_, item) => {
      await under.seed(item);
      const free = { lockId: 'a', fence: 101, last: bob, broken: alice, queue: [], tickets: {}, rev: 8, ttl };
      expect(await under.store.breakHold(looked)).toEqual({ written: true, item: free });
      expect(await under.stored('a')).toEqual(free);
    });

    describe('of a lock without a line', () => {
      const withoutLine: Break = { lockId: 'a', victim: alice, fence: 100, ttl };

      it('ends a hold that was renewed since the look at it', async () => {
        await under.seed(heldItem('a', { rev: 4_711 }));
        expect(await under.store.breakHold(withoutLine)).toMatchObject({
          written: true,
          item: { broken: alice, rev: 4_712 },
        });
      });

      it('is refused once somebody stands in line', async () => {
        await under.seed(withLine(heldItem('a'), { [dave]: T0 + 5_000 }));
        await expectRefusal(under, 'a', () => under.store.breakHold(withoutLine));
      });

      it.each([
        ['another owner', heldItem('a', { owner: bob })],
        ['another grant of the same owner', heldItem('a', { fence: 101 })],
        ['nobody', freeItem('a')],
      ])('is refused when %s holds it', async (_, item) => {
        await under.seed(item);
        await expectRefusal(under, 'a', () => under.store.breakHold(withoutLine));
      });
    });

    it.each([1, 2, 8, 64])('empties a line of %d in which nobody is left', async (waiters) => {
      await under.seed(withLine(heldItem('a', { last: bob }), lineOf(waiters, T0 - margin)));
      const free = { lockId: 'a', fence: 101, last: bob, broken: alice, queue: [], tickets: {}, rev: 8, ttl };
      expect(await under.store.breakHold(looked)).toEqual({ written: true, item: free });
      expect(await under.stored('a')).toEqual(free);
    });

    // Nothing is left of the victim's hold but `broken`, and the grant is provisional.
    const handedTo = (owner: string, line: Record<string, number>): LockItem => {
      const hold = { owner, until: T0 + claimWindow, fence: 101, since: T0 };
      return withLine({ lockId: 'a', ...hold, last: bob, broken: alice, queue: [], tickets: {}, rev: 8, ttl }, line);
    };

    it.each(placesInLine)('hands the lock to %s, provisionally, and takes those before out', async (_, place) => {
      const { before, waiter, behind } = place;
      const tickets = { ...ticketsUntil(T0 - margin, before), ...ticketsUntil(T0 + 5_000, [waiter, ...behind]) };
      await under.seed(withLine(heldItem('a', { last: bob, broken: carol }), tickets));
      const item = handedTo(waiter, ticketsUntil(T0 + 5_000, behind));
      const hold = { ...looked, next: nextOf(waiter, before) };
      expect(await under.store.breakHold(hold)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each<[string, LockItem]>([
      ['a lease that ended without a release', heldItem('a', { last: bob, until: T0 - 60_000 })],
      ['a provisional hold', provisionalItem('a', { last: bob })],
    ])('hands the lock over from %s, too', async (_, hold) => {
      await under.seed(withLine(hold, { [dave]: T0 + 5_000 }));
      const item = handedTo(dave, {});
      expect(await under.store.breakHold({ ...looked, next: nextOf(dave) })).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    describe.each<[string, Break]>([
      ['without a next waiter', looked],
      ['with a next waiter', { ...looked, next: nextOf(dave) }],
    ])('%s', (_, hold) => {
      const line = { [dave]: T0 + 5_000 };

      it.each<[string, Partial<LockItem>]>([
        ['the owner is another', { owner: bob }],
        ['the item was written since the look (rev one higher)', { rev: 8 }],
        ['the item is an older one (rev one lower)', { rev: 6 }],
        ['the hold has a later fencing token', { fence: 101 }],
        ['the hold has an earlier fencing token', { fence: 99 }],
      ])('is refused when %s', async (_why, difference) => {
        await under.seed(withLine(heldItem('a', difference), line));
        await expectRefusal(under, 'a', () => under.store.breakHold(hold));
      });

      it('is refused when somebody joined since the look, and keeps the line', async () => {
        await under.seed(withLine(heldItem('a'), line));
        await under.store.join(joinOf('a', carol));
        await expectRefusal(under, 'a', () => under.store.breakHold(hold));
        expect(await under.stored('a')).toMatchObject({ owner: alice, queue: [dave, carol] });
      });

      it('is refused on a free lock', async () => {
        await under.seed(withLine(freeItem('a'), line));
        await expectRefusal(under, 'a', () => under.store.breakHold(hold));
      });

      it('is refused when it is repeated: the fence grows once, and nobody else is broken', async () => {
        await under.seed(withLine(heldItem('a'), line));
        await under.store.breakHold(hold);
        await expectRefusal(under, 'a', () => under.store.breakHold(hold));
        expect(await under.stored('a')).toMatchObject({ broken: alice, fence: 101, rev: 8 });
      });

      it('never makes an item', async () => {
        expect(await under.store.breakHold(hold)).toEqual({ written: false, item: undefined });
        expect(await under.stored('a')).toBeUndefined();
      });
    });
  });
}
