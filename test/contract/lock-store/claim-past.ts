import type { LockItem } from '../../../lambda/service/lock-item.ts';
import {
  bob,
  carol,
  claimPastOf,
  claimWindow,
  dave,
  freeItem,
  heldItem,
  joinOf,
  lineOf,
  margin,
  provisionalItem,
  T0,
  tokenOf,
  withLine,
} from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const erin = tokenOf('erin');
const cut = T0 - margin;
const overHold = heldItem('a', { until: cut, last: dave, broken: carol });
const deadLine = { [carol]: cut, [dave]: T0 - 60_000 };

export function claimPastContract(open: OpenStore): void {
  describe('claimPast', () => {
    let under: StoreUnderTest;
    const claim = claimPastOf('a', bob);
    const whole = {
      lockId: 'a',
      owner: bob,
      until: T0 + 30_000,
      fence: 101,
      since: T0,
      holder: 'host-b',
      principal: 'arn:aws:iam::1:user/bob',
      queue: [],
      tickets: {},
      rev: 8,
      ttl: claim.ttl,
    };
    beforeEach(async () => {
      under = await open();
    });

    it.each<[string, LockItem, Partial<LockItem>]>([
      ['a lease that ended exactly one clock margin ago', overHold, { last: dave, broken: carol }],
      ['a free lock', freeItem('a', { last: dave }), { last: dave }],
      ['a provisional hold that nobody confirmed', provisionalItem('a', { until: cut }), {}],
    ])('takes %s, and empties the line', async (_, hold, remembered) => {
      await under.seed(withLine(hold, deadLine));
      const item = { ...whole, ...remembered };
      expect(await under.store.claimPast(claim)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each([1, 2, 8, 64])('empties a line of %d', async (waiters) => {
      await under.seed(withLine(overHold, lineOf(waiters, cut)));
      const item = { ...whole, last: dave, broken: carol };
      expect(await under.store.claimPast(claim)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('leaves no name on a provisional grant, and none of the holder before', async () => {
      await under.seed(withLine(overHold, deadLine));
      const { holder: _holder, principal: _principal, ...unnamed } = whole;
      const provisional = { ...claim, identity: undefined, until: T0 + claimWindow };
      const item = { ...unnamed, until: T0 + claimWindow, last: dave, broken: carol };
      expect(await under.store.claimPast(provisional)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('does not let a holder without a label inherit the label of the one before', async () => {
      await under.seed(withLine(overHold, deadLine));
      const { item } = await under.store.claimPast({ ...claim, identity: { principal: 'p' } });
      expect(item).toMatchObject({ owner: bob, principal: 'p' });
      expect(item).not.toHaveProperty('holder');
    });

    it('is refused when the lease ended one millisecond less than the clock margin ago', async () => {
      await under.seed(withLine(heldItem('a', { until: cut + 1 }), deadLine));
      await expectRefusal(under, 'a', () => under.store.claimPast(claim));
    });

    it.each([6, 8])('is refused when the item was written since the look (rev %d)', async (rev) => {
      await under.seed(withLine({ ...overHold, rev }, deadLine));
      await expectRefusal(under, 'a', () => under.store.claimPast(claim));
    });

    it.each([99, 101])('is refused when the item was made anew since the look (fence %d)', async (fence) => {
      await under.seed(withLine({ ...overHold, fence }, deadLine));
      await expectRefusal(under, 'a', () => under.store.claimPast(claim));
    });

    it('keeps a waiter who joined since the look', async () => {
      await under.seed(withLine(overHold, { [carol]: cut }));
      await under.store.join(joinOf('a', erin));
      await expectRefusal(under, 'a', () => under.store.claimPast(claim));
      expect(await under.stored('a')).toMatchObject({ queue: [carol, erin] });
    });

    it('keeps a waiter who kept its ticket since the look', async () => {
      await under.seed(withLine(overHold, deadLine));
      await under.store.keepTicket({ lockId: 'a', me: carol, ticketEnd: T0 + 5_000 });
      await expectRefusal(under, 'a', () => under.store.claimPast(claim));
      expect(await under.stored('a')).toMatchObject({ queue: [carol, dave] });
    });

    it('is refused when it is repeated, and the item shows the grant', async () => {
      await under.seed(withLine(overHold, deadLine));
      await under.store.claimPast(claim);
      await expectRefusal(under, 'a', () => under.store.claimPast(claim));
      expect(await under.stored('a')).toMatchObject({ owner: bob, fence: 101, rev: 8 });
    });

    it('is refused when it arrives again after its lease was released', async () => {
      await under.seed(withLine(overHold, deadLine));
      await under.store.claimPast(claim);
      await under.store.release({ lockId: 'a', me: bob, ttl: claim.ttl });
      await expectRefusal(under, 'a', () => under.store.claimPast(claim));
      expect(await under.stored('a')).toMatchObject({ last: bob });
    });

    it('never makes an item', async () => {
      expect(await under.store.claimPast(claim)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
