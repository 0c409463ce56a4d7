import type { Break } from '../../../lambda/service/lock-store.ts';
import { alice, bob, freeItem, heldItem, provisionalItem, T0, withWaiter } from '../../support/lock-items.ts';
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

    it('is refused when the owner is another than the one looked at', async () => {
      await under.seed(heldItem('a', { owner: bob }));
      await expectRefusal(under, 'a', () => under.store.breakHold(looked));
    });

    it.each([6, 8])('is refused when the item was written since the look, whoever wrote it (rev %d)', async (rev) => {
      await under.seed(heldItem('a', { rev }));
      await expectRefusal(under, 'a', () => under.store.breakHold(looked));
    });

    it.each([99, 101])('is refused when the hold has another fencing token (%d)', async (fence) => {
      await under.seed(heldItem('a', { fence }));
      await expectRefusal(under, 'a', () => under.store.breakHold(looked));
    });

    it('is refused while somebody stands in line', async () => {
      await under.seed(withWaiter(heldItem('a')));
      await expectRefusal(under, 'a', () => under.store.breakHold(looked));
    });

    it('is refused on a free lock', async () => {
      await under.seed(freeItem('a'));
      await expectRefusal(under, 'a', () => under.store.breakHold(looked));
    });

    it('is refused when it is repeated, and the item shows who was broken', async () => {
      await under.seed(heldItem('a'));
      await under.store.breakHold(looked);
      await expectRefusal(under, 'a', () => under.store.breakHold(looked));
      expect(await under.stored('a')).toMatchObject({ broken: alice });
    });

    it('never makes an item', async () => {
      expect(await under.store.breakHold(looked)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
