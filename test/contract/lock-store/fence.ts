import { alice, bob, carol, claimOf, dave, margin, T0 } from '../../support/lock-items.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const ttl = 1_800_634_830;

export function fenceContract(open: OpenStore): void {
  describe('fencing token', () => {
    let under: StoreUnderTest;

    async function granted(me: string, now: number): Promise<number> {
      const { written, item } = await under.store.claim(claimOf('a', me, { now }));
      if (!written) throw new Error('the claim was refused');
      return item.fence;
    }

    beforeEach(async () => {
      under = await open();
    });

    it('starts one above the clock of the first claim', async () => {
      expect(await granted(alice, T0)).toBe(T0 + 1);
    });

    it('grows by one after a release, even by a clock that runs behind', async () => {
      const first = await granted(alice, T0);
      await under.store.release({ lockId: 'a', me: alice, ttl });
      expect(await granted(bob, T0 - 3_600_000)).toBe(first + 1);
    });

    it('grows by one after a release, by a clock far ahead', async () => {
      const first = await granted(alice, T0);
      await under.store.release({ lockId: 'a', me: alice, ttl });
      expect(await granted(bob, T0 + 3_600_000)).toBe(first + 1);
    });

    it('grows by one when a lease that ended is taken', async () => {
      const first = await granted(alice, T0);
      expect(await granted(bob, T0 + 30_000 + margin)).toBe(first + 1);
    });

    it('grows by one with the break and once more with the next grant', async () => {
      const first = await granted(alice, T0);
      await under.store.breakHold({ lockId: 'a', victim: alice, rev: 1, fence: first, ttl });
      expect(await under.stored('a')).toMatchObject({ fence: first + 1 });
      expect(await granted(bob, T0)).toBe(first + 2);
    });

    it('starts above all earlier ones after the item was deleted', async () => {
      const fences = [];
      for (const me of [alice, bob, carol]) {
        fences.push(await granted(me, T0));
        await under.store.release({ lockId: 'a', me, ttl });
      }
      await under.remove('a');
      const afterwards = await granted(dave, T0 + 7 * 24 * 60 * 60 * 1_000);
      expect(afterwards).toBeGreaterThan(Math.max(...fences));
      expect(Number.isSafeInteger(afterwards)).toBe(true);
    });
  });
}
