import type { WriteResult } from '../../../lambda/service/lock-store.ts';
import {
  alice,
  bob,
  carol,
  claimAsHeadOf,
  claimOf,
  claimPastOf,
  dave,
  handOverOf,
  joinOf,
  margin,
  nextOf,
  releasePastOf,
  renewOf,
  T0,
  tokenOf,
  transferOf,
} from '../../support/lock-items.ts';
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

    it('grows by one with every grant, whoever gives it, and with nothing else', async () => {
      const [erin, frank] = [tokenOf('erin'), tokenOf('frank')];
      const first = await granted(alice, T0);
      const steps: [number, () => Promise<WriteResult>][] = [
        [0, () => under.store.renew(renewOf('a', alice, T0 + 40_000))],
        [1, () => under.store.transfer(transferOf('a', alice, bob))],
        [0, () => under.store.join(joinOf('a', carol))],
        [0, () => under.store.join(joinOf('a', dave))],
        [0, () => under.store.keepTicket({ lockId: 'a', me: carol, ticketEnd: T0 + 20_000 })],
        [1, () => under.store.handOver(handOverOf('a', bob, nextOf(carol)))],
        [0, () => under.store.join(joinOf('a', erin))],
        [1, () => under.store.claimAsHead(claimAsHeadOf('a', dave, [], { over: T0 + 60_000 }))],
        [0, () => under.store.join(joinOf('a', frank))],
        [0, () => under.store.leave({ lockId: 'a', me: frank, place: 1 })],
        [1, () => under.store.claimPast(claimPastOf('a', alice, { cut: T0 + 60_000, rev: 11, fence: first + 3 }))],
        [0, () => under.store.join(joinOf('a', erin))],
        [0, () => under.store.releasePast(releasePastOf('a', alice, { rev: 13, fence: first + 4 }))],
        [1, () => under.store.claim(claimOf('a', frank))],
      ];
      let fence = first;
      for (const [growth, step] of steps) {
        fence += growth;
        expect(await step()).toMatchObject({ written: true, item: { fence } });
      }
    });

    it('grows by one with a break that hands the lock over', async () => {
      const first = await granted(alice, T0);
      await under.store.join(joinOf('a', bob));
      await under.store.breakHold({ lockId: 'a', victim: alice, rev: 2, fence: first, ttl, next: nextOf(bob) });
      expect(await under.stored('a')).toMatchObject({ owner: bob, fence: first + 1 });
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
