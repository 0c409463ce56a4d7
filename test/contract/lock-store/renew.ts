import { alice, bob, freeItem, heldItem, provisionalItem, renewOf, T0, withWaiter } from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

export function renewContract(open: OpenStore): void {
  describe('renew', () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });

    it('extends the lease of its owner, and touches nothing else', async () => {
      await under.seed(heldItem('a', { last: bob, broken: bob }));
      const renew = renewOf('a', alice, T0 + 40_000);
      const item = { ...heldItem('a', { last: bob, broken: bob }), until: T0 + 40_000, rev: 8, ttl: renew.ttl };
      expect(await under.store.renew(renew)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('extends by one millisecond', async () => {
      await under.seed(heldItem('a'));
      const { written } = await under.store.renew(renewOf('a', alice, T0 + 30_001));
      expect(written).toBe(true);
    });

    it.each([
      ['the same end', T0 + 30_000],
      ['an earlier end', T0 + 29_999],
    ])('never shortens a confirmed lease: a late renewal to %s is refused', async (_, until) => {
      await under.seed(heldItem('a'));
      await expectRefusal(under, 'a', () => under.store.renew(renewOf('a', alice, until)));
    });

    it.each([
      ['later', T0 + 30_000],
      ['the same', T0 + 3_000],
      ['earlier', T0 + 1_500],
    ])('confirms a provisional grant to an end that is %s', async (_, until) => {
      await under.seed(provisionalItem('a'));
      const renew = renewOf('a', alice, until);
      const { written, item } = await under.store.renew(renew);
      expect(written).toBe(true);
      expect(item).toEqual({
        ...provisionalItem('a'),
        until,
        holder: 'host-a',
        principal: 'arn:aws:iam::1:user/alice',
        rev: 8,
        ttl: renew.ttl,
      });
      expect(await under.stored('a')).toEqual(item);
    });

    it('keeps a lock whose lease ended, while nobody else took it', async () => {
      await under.seed(heldItem('a', { until: T0 - 3_600_000 }));
      const { written } = await under.store.renew(renewOf('a', alice, T0 + 30_000));
      expect(written).toBe(true);
    });

    it('works with waiters in line, and leaves them there', async () => {
      await under.seed(withWaiter(heldItem('a')));
      const { written, item } = await under.store.renew(renewOf('a', alice, T0 + 40_000));
      expect(written).toBe(true);
      expect(item).toMatchObject({
        queue: withWaiter(heldItem('a')).queue,
        tickets: withWaiter(heldItem('a')).tickets,
      });
    });

    it('without a label leaves the one that is there', async () => {
      await under.seed(heldItem('a'));
      const { item } = await under.store.renew(renewOf('a', alice, T0 + 40_000, { identity: { principal: 'p' } }));
      expect(item).toMatchObject({ holder: 'host-a', principal: 'p' });
    });

    it('with a label replaces the one that is there', async () => {
      await under.seed(heldItem('a'));
      const identity = { holder: 'new-label', principal: 'p' };
      const { item } = await under.store.renew(renewOf('a', alice, T0 + 40_000, { identity }));
      expect(item).toMatchObject({ holder: 'new-label', principal: 'p' });
    });

    it('is refused on the lock of another', async () => {
      await under.seed(heldItem('a'));
      await expectRefusal(under, 'a', () => under.store.renew(renewOf('a', bob, T0 + 40_000)));
    });

    it('is refused on the provisional hold of another', async () => {
      await under.seed(provisionalItem('a'));
      await expectRefusal(under, 'a', () => under.store.renew(renewOf('a', bob, T0 + 40_000)));
    });

    it('is refused on a free lock, also for the one that released it or was broken', async () => {
      await under.seed(freeItem('a', { last: alice, broken: alice }));
      await expectRefusal(under, 'a', () => under.store.renew(renewOf('a', alice, T0 + 40_000)));
    });

    it('never makes an item', async () => {
      expect(await under.store.renew(renewOf('a', alice, T0 + 40_000))).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
