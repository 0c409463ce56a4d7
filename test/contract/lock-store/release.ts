import { alice, bob, freeItem, heldItem, provisionalItem, T0, withWaiter } from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const ttl = 1_800_700_000;

export function releaseContract(open: OpenStore): void {
  describe('release', () => {
    let under: StoreUnderTest;
    const release = (me: string) => under.store.release({ lockId: 'a', me, ttl });
    beforeEach(async () => {
      under = await open();
    });

    it.each([
      ['a held lock', heldItem('a', { last: bob, broken: bob })],
      ['a lock whose lease ended, while nobody else took it', heldItem('a', { until: T0 - 60_000, broken: bob })],
      ['a provisional hold', provisionalItem('a', { last: bob, broken: bob })],
    ])('frees %s, and remembers by whom', async (_, item) => {
      await under.seed(item);
      const free = { lockId: 'a', fence: 100, last: alice, broken: bob, queue: [], tickets: {}, rev: 8, ttl };
      expect(await release(alice)).toEqual({ written: true, item: free });
      expect(await under.stored('a')).toEqual(free);
    });

    it('is refused while somebody stands in line', async () => {
      await under.seed(withWaiter(heldItem('a')));
      await expectRefusal(under, 'a', () => release(alice));
    });

    it('is refused on the lock of another', async () => {
      await under.seed(heldItem('a'));
      await expectRefusal(under, 'a', () => release(bob));
    });

    it('is refused when it is repeated, and the item shows who released', async () => {
      await under.seed(heldItem('a'));
      await release(alice);
      await expectRefusal(under, 'a', () => release(alice));
      expect(await under.stored('a')).toMatchObject({ last: alice });
    });

    it('is refused on a free lock', async () => {
      await under.seed(freeItem('a'));
      await expectRefusal(under, 'a', () => release(alice));
    });

    it('never makes an item', async () => {
      expect(await release(alice)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
