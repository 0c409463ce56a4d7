import type { LockItem } from '../../../lambda/service/lock-item.ts';
import {
  alice,
  bob,
  carol,
  dave,
  freeItem,
  heldItem,
  joinOf,
  lineOf,
  margin,
  provisionalItem,
  releasePastOf,
  T0,
  withLine,
} from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const cut = T0 - margin;
const deadLine = { [carol]: cut, [dave]: T0 - 60_000 };

export function releasePastContract(open: OpenStore): void {
  describe('releasePast', () => {
    let under: StoreUnderTest;
    const release = releasePastOf('a', alice);
    const free = { lockId: 'a', fence: 100, last: alice, queue: [], tickets: {}, rev: 8, ttl: release.ttl };
    beforeEach(async () => {
      under = await open();
    });

    it.each<[string, LockItem, Partial<LockItem>]>([
      ['a held lock', heldItem('a', { last: bob, broken: bob }), { broken: bob }],
      ['a lock whose lease ended, while nobody else took it', heldItem('a', { until: T0 - 60_000 }), {}],
      ['a provisional hold', provisionalItem('a', { last: bob }), {}],
    ])('frees %s, and empties the line', async (_, hold, remembered) => {
      await under.seed(withLine(hold, deadLine));
      const item = { ...free, ...remembered };
      expect(await under.store.releasePast(release)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each([1, 2, 8, 64])('empties a line of %d', async (waiters) => {
      await under.seed(withLine(heldItem('a'), lineOf(waiters, cut)));
      expect(await under.store.releasePast(release)).toEqual({ written: true, item: free });
      expect(await under.stored('a')).toEqual(free);
    });

    it('is refused on the lock of another', async () => {
      await under.seed(withLine(heldItem('a', { owner: bob }), deadLine));
      await expectRefusal(under, 'a', () => under.store.releasePast(release));
    });

    it('is refused on a free lock', async () => {
      await under.seed(withLine(freeItem('a'), deadLine));
      await expectRefusal(under, 'a', () => under.store.releasePast(release));
    });

    it.each([6, 8])('is refused when the item was written since the look (rev %d)', async (rev) => {
      await under.seed(withLine(heldItem('a', { rev }), deadLine));
      await expectRefusal(under, 'a', () => under.store.releasePast(release));
    });

    it.each([99, 101])('is refused when the hold has another fencing token (%d)', async (fence) => {
      await under.seed(withLine(heldItem('a', { fence }), deadLine));
      await expectRefusal(under, 'a', () => under.store.releasePast(release));
    });

    it('keeps a waiter who joined since the look', async () => {
      await under.seed(withLine(heldItem('a'), deadLine));
      await under.store.join(joinOf('a', bob));
      await expectRefusal(under, 'a', () => under.store.releasePast(release));
      expect(await under.stored('a')).toMatchObject({ owner: alice, queue: [carol, dave, bob] });
    });

    it('keeps a waiter who kept its ticket since the look', async () => {
      await under.seed(withLine(heldItem('a'), deadLine));
      await under.store.keepTicket({ lockId: 'a', me: carol, ticketEnd: T0 + 5_000 });
      await expectRefusal(under, 'a', () => under.store.releasePast(release));
      expect(await under.stored('a')).toMatchObject({ owner: alice, queue: [carol, dave] });
    });

    it('is refused when it is repeated, and the item shows who released', async () => {
      await under.seed(withLine(heldItem('a'), deadLine));
      await under.store.releasePast(release);
      await expectRefusal(under, 'a', () => under.store.releasePast(release));
      expect(await under.stored('a')).toEqual(free);
    });

    it('never makes an item', async () => {
      expect(await under.store.releasePast(release)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
