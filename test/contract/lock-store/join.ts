import {
  alice,
  bob,
  carol,
  dave,
  freeItem,
  handOverOf,
  heldItem,
  joinOf,
  lineOf,
  nextOf,
  provisionalItem,
  T0,
  tokenOf,
  withLine,
} from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

export function joinContract(open: OpenStore): void {
  describe('join', () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });

    it.each([
      ['a held lock', heldItem('a')],
      ['a lock that remembers others', heldItem('a', { last: dave, broken: carol })],
      ['a lease that is over, while its owner is still there', heldItem('a', { until: T0 - 60_000 })],
      ['a provisional hold', provisionalItem('a')],
      ['a lock with a line', withLine(heldItem('a'), { [carol]: T0 + 5_000, [dave]: T0 - 5_000 })],
    ])('puts a waiter last in the line of %s, and touches nothing else', async (_, before) => {
      await under.seed(before);
      const item = {
        ...before,
        queue: [...before.queue, bob],
        tickets: { ...before.tickets, [bob]: T0 + 10_000 },
        rev: 8,
      };
      expect(await under.store.join(joinOf('a', bob))).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('keeps the order in which the waiters came', async () => {
      await under.seed(heldItem('a'));
      for (const me of [dave, bob, carol]) await under.store.join(joinOf('a', me));
      expect(await under.stored('a')).toMatchObject({ queue: [dave, bob, carol], rev: 10 });
    });

    it('stands behind a lock that was just claimed for the first time', async () => {
      const identity = { principal: 'p' };
      const lease = { now: T0, cut: T0, until: T0 + 30_000, ttl: 1_800_700_000 };
      await under.store.claim({ lockId: 'a', me: alice, identity, ...lease });
      expect(await under.store.join(joinOf('a', bob))).toMatchObject({
        written: true,
        item: { owner: alice, queue: [bob], tickets: { [bob]: T0 + 10_000 }, rev: 2 },
      });
    });

    it('is refused on a free lock: it is claimed, not joined', async () => {
      await under.seed(freeItem('a'));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob)));
    });

    it('is refused on a free lock with a line, too', async () => {
      await under.seed(withLine(freeItem('a'), { [carol]: T0 + 5_000 }));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob)));
    });

    it('is refused for the owner', async () => {
      await under.seed(heldItem('a', { owner: bob }));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob)));
    });

    it.each(['last', 'broken'] as const)('is refused for a spent token (%s)', async (name) => {
      await under.seed(heldItem('a', { [name]: bob }));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob)));
      expect(await under.store.join(joinOf('a', carol))).toMatchObject({ written: true });
    });

    it.each([
      ['first', { [bob]: T0 + 5_000, [carol]: T0 + 5_000, [dave]: T0 + 5_000 }],
      ['in the middle', { [carol]: T0 + 5_000, [bob]: T0 + 5_000, [dave]: T0 + 5_000 }],
      ['last', { [carol]: T0 + 5_000, [dave]: T0 + 5_000, [bob]: T0 + 5_000 }],
      ['with a ticket that ended', { [bob]: T0 - 60_000 }],
    ])('is refused for somebody who stands in line already, %s', async (_, line) => {
      await under.seed(withLine(heldItem('a'), line));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob)));
    });

    it('lets a 64th waiter in', async () => {
      await under.seed(withLine(heldItem('a'), lineOf(63)));
      const { written, item } = await under.store.join(joinOf('a', bob));
      expect(written).toBe(true);
      expect(item).toEqual({ ...withLine(heldItem('a'), { ...lineOf(63), [bob]: T0 + 10_000 }), rev: 8 });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each([64, 65])('is refused when %d stand in line', async (waiters) => {
      await under.seed(withLine(heldItem('a'), lineOf(waiters)));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob)));
    });

    it('keeps to the limit that is given', async () => {
      await under.seed(heldItem('a'));
      expect(await under.store.join(joinOf('a', bob, { lineLimit: 1 }))).toMatchObject({ written: true });
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', carol, { lineLimit: 1 })));
    });

    it('never makes an item', async () => {
      expect(await under.store.join(joinOf('a', bob))).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });

    it('is refused when it is repeated, and the item shows the place', async () => {
      await under.seed(heldItem('a'));
      await under.store.join(joinOf('a', bob));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob, { ticketEnd: T0 + 20_000 })));
      expect(await under.stored('a')).toMatchObject({ queue: [bob], tickets: { [bob]: T0 + 10_000 }, rev: 8 });
    });

    it('is refused when it arrives again after the lock was handed to it', async () => {
      await under.seed(heldItem('a'));
      await under.store.join(joinOf('a', bob));
      await under.store.handOver(handOverOf('a', alice, nextOf(bob)));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob)));
      expect(await under.stored('a')).toMatchObject({ owner: bob, queue: [] });
    });

    it('is refused when it arrives again after the lease it led to was handed on', async () => {
      await under.seed(heldItem('a'));
      await under.store.join(joinOf('a', bob));
      await under.store.join(joinOf('a', carol));
      await under.store.handOver(handOverOf('a', alice, nextOf(bob)));
      await under.store.handOver(handOverOf('a', bob, nextOf(carol)));
      await expectRefusal(under, 'a', () => under.store.join(joinOf('a', bob)));
      expect(await under.stored('a')).toMatchObject({ owner: carol, last: bob, queue: [] });
    });

    it('lets in each of many that come at once, up to the limit', async () => {
      await under.seed(withLine(heldItem('a'), lineOf(50)));
      const comers = Array.from({ length: 20 }, (_, at) => tokenOf(`comer${at}`));
      const results = await Promise.all(comers.map((me) => under.store.join(joinOf('a', me))));
      expect(results.filter(({ written }) => written)).toHaveLength(14);
      const stored = await under.stored('a');
      expect(new Set(stored?.queue).size).toBe(64);
      expect(Object.keys(stored?.tickets ?? {}).sort()).toEqual([...(stored?.queue ?? [])].sort());
      expect(stored?.rev).toBe(7 + 14);
    });
  });
}
