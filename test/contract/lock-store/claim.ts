import {
  alice,
  bob,
  carol,
  claimOf,
  freeItem,
  heldItem,
  margin,
  provisionalItem,
  T0,
  tokenOf,
  withWaiter,
} from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

export function claimContract(open: OpenStore): void {
  describe('claim', () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });

    it('makes the item of a lock that nobody ever took', async () => {
      const claim = claimOf('a', bob);
      const item = {
        lockId: 'a',
        owner: bob,
        until: T0 + 30_000,
        fence: T0 + 1,
        since: T0,
        holder: 'host-b',
        principal: 'arn:aws:iam::1:user/bob',
        queue: [],
        tickets: {},
        rev: 1,
        ttl: claim.ttl,
      };
      expect(await under.store.claim(claim)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('takes a free lock, keeping what it remembers', async () => {
      await under.seed(freeItem('a', { broken: carol, tickets: { [carol]: T0 } }));
      const claim = claimOf('a', bob);
      const { item } = await under.store.claim(claim);
      expect(item).toEqual({
        ...freeItem('a', { broken: carol, tickets: { [carol]: T0 } }),
        owner: bob,
        until: T0 + 30_000,
        fence: 101,
        since: T0,
        holder: 'host-b',
        principal: 'arn:aws:iam::1:user/bob',
        rev: 8,
        ttl: claim.ttl,
      });
      expect(await under.stored('a')).toEqual(item);
    });

    it('is refused while the lease of another runs', async () => {
      await under.seed(heldItem('a'));
      await expectRefusal(under, 'a', () => under.store.claim(claimOf('a', bob)));
    });

    it('takes a lease that ended exactly one clock margin ago', async () => {
      await under.seed(heldItem('a', { until: T0 - margin }));
      expect(await under.store.claim(claimOf('a', bob))).toMatchObject({ written: true, item: { owner: bob, rev: 8 } });
    });

    it('is refused when the lease ended one millisecond less than the clock margin ago', async () => {
      await under.seed(heldItem('a', { until: T0 - margin + 1 }));
      await expectRefusal(under, 'a', () => under.store.claim(claimOf('a', bob)));
    });

    it.each([
      ['a free lock', withWaiter(freeItem('a'))],
      ['a lease that is over', withWaiter(heldItem('a', { until: T0 - 60_000 }))],
    ])('does not overtake a waiter: %s', async (_, item) => {
      await under.seed(item);
      await expectRefusal(under, 'a', () => under.store.claim(claimOf('a', bob)));
    });

    it('is refused for a token that released last', async () => {
      await under.seed(freeItem('a', { last: bob }));
      await expectRefusal(under, 'a', () => under.store.claim(claimOf('a', bob)));
    });

    it('is refused for a token that was broken last', async () => {
      await under.seed(freeItem('a', { broken: bob }));
      await expectRefusal(under, 'a', () => under.store.claim(claimOf('a', bob)));
    });

    it.each([['last'], ['broken']] as const)(
      'is refused for a spent token (%s) over a lease that ended, too',
      async (name) => {
        await under.seed(heldItem('a', { until: T0 - 60_000, [name]: bob }));
        await expectRefusal(under, 'a', () => under.store.claim(claimOf('a', bob)));
        expect(await under.store.claim(claimOf('a', carol))).toMatchObject({ written: true });
      },
    );

    it('is refused when the token holds the lock already: a repeat is not a second grant', async () => {
      await under.store.claim(claimOf('a', bob));
      await expectRefusal(under, 'a', () => under.store.claim(claimOf('a', bob, { now: T0 + 10 })));
    });

    it('leaves no name on a provisional grant, and none of the holder before', async () => {
      await under.seed(heldItem('a', { until: T0 - margin }));
      const { item } = await under.store.claim(claimOf('a', bob, { identity: undefined }));
      expect(item).toMatchObject({ owner: bob });
      expect(await under.stored('a')).toEqual(item);
      expect(Object.keys(item ?? {})).not.toEqual(expect.arrayContaining(['holder']));
      expect(Object.keys(item ?? {})).not.toEqual(expect.arrayContaining(['principal']));
    });

    it('does not let a holder without a label inherit the label of the one before', async () => {
      await under.seed(heldItem('a', { until: T0 - margin }));
      const { item } = await under.store.claim(claimOf('a', bob, { identity: { principal: 'p' } }));
      expect(item).toMatchObject({ owner: bob, principal: 'p' });
      expect(item).not.toHaveProperty('holder');
    });

    it('takes a provisional hold that nobody confirmed', async () => {
      await under.seed(provisionalItem('a', { until: T0 - margin }));
      expect(await under.store.claim(claimOf('a', bob))).toMatchObject({ written: true, item: { owner: bob } });
    });

    it('gives a lock to one of many that claim at once', async () => {
      const claimants = Array.from({ length: 20 }, (_, at) => tokenOf(`claimant${at}`));
      const results = await Promise.all(claimants.map((me) => under.store.claim(claimOf('a', me))));
      const granted = results.filter(({ written }) => written);
      expect(granted).toHaveLength(1);
      const stored = await under.stored('a');
      expect(granted[0]?.item).toEqual(stored);
      expect(stored).toMatchObject({ rev: 1, fence: T0 + 1 });
      for (const { written, item } of results) if (!written) expect(item).toEqual(stored);
    });

    it('does not block one lock by another whose id begins like it', async () => {
      await under.store.claim(claimOf('a/1', alice));
      expect(await under.store.claim(claimOf('a', bob))).toMatchObject({ written: true });
    });
  });
}
