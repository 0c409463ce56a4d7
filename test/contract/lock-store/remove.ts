import type { LockItem } from '../../../lambda/service/lock-item.ts';
import type { Removal } from '../../../lambda/service/lock-store.ts';
import { bob, carol, claimOf, freeItem, heldItem, provisionalItem, T0, withWaiter } from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const dayMs = 24 * 60 * 60 * 1_000;
// A month after the stories: their items have been at rest since then.
const before = T0 + 30 * dayMs;
const ttl = Math.floor(before / 1_000) + 7 * 24 * 60 * 60;
const removal: Removal = { lockId: 'a', rev: 7, fence: 100, before, ttl };

const free = freeItem('a');
const over = heldItem('a', { until: before });

export function removeContract(open: OpenStore): void {
  describe('remove', () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });

    it.each<[string, LockItem]>([
      ['a free lock', free],
      ['a lease that ended just then', over],
      ['a lease that ended long before', heldItem('a')],
      ['a provisional hold that nobody confirmed', provisionalItem('a')],
      ['a broken hold', freeItem('a', { broken: bob })],
      ['a retention that ended just then', freeItem('a', { ttl })],
      ['a fencing token that the clock has just passed', freeItem('a', { fence: before - 1 })],
    ])('removes %s, and brings it', async (_, item) => {
      await under.seed(item);
      expect(await under.store.remove({ ...removal, fence: item.fence })).toEqual({ written: true, item });
      expect(await under.stored('a')).toBeUndefined();
    });

    it.each<[string, LockItem]>([
      ['its lease ended a millisecond later', heldItem('a', { until: before + 1 })],
      ['it is held', heldItem('a', { until: before + 30 * dayMs })],
      ['somebody stands in line, ticket over or not', withWaiter(free)],
      ['somebody stands in line behind a hold that is over', withWaiter(over)],
      ['its retention ends a second later', freeItem('a', { ttl: ttl + 1 })],
      ['its last fencing token is one that the clock has not passed', freeItem('a', { fence: before })],
    ])('is refused when %s', async (_, item) => {
      await under.seed(item);
      await expectRefusal(under, 'a', () => under.store.remove({ ...removal, fence: item.fence }));
    });

    it.each([6, 8])('is refused when the item was written since the look (rev %d)', async (rev) => {
      await under.seed({ ...free, rev });
      await expectRefusal(under, 'a', () => under.store.remove(removal));
    });

    it.each([99, 101])('is refused when the item was made anew since the look (fence %d)', async (fence) => {
      await under.seed({ ...free, fence });
      await expectRefusal(under, 'a', () => under.store.remove(removal));
    });

    it('is refused once somebody has claimed the lock, also when the lease is over again', async () => {
      await under.seed(free);
      await under.store.claim(claimOf('a', bob));
      await expectRefusal(under, 'a', () => under.store.remove(removal));
      await under.store.release({ lockId: 'a', me: bob, ttl: free.ttl });
      await expectRefusal(under, 'a', () => under.store.remove(removal));
      expect(await under.stored('a')).toMatchObject({ fence: 101, rev: 9 });
    });

    it('is refused where there is no item, so also when it is repeated', async () => {
      expect(await under.store.remove(removal)).toEqual({ written: false, item: undefined });
      await under.seed(free);
      await under.store.remove(removal);
      expect(await under.store.remove(removal)).toEqual({ written: false, item: undefined });
    });

    it('touches no other lock', async () => {
      await under.seed(free, freeItem('a/1'));
      await under.store.remove(removal);
      expect(await under.stored('a/1')).toEqual(freeItem('a/1'));
    });

    it('leaves what comes after it with a higher fencing token than any before', async () => {
      const last = freeItem('a', { fence: before - 1 });
      await under.seed(last);
      await under.store.remove({ ...removal, fence: last.fence });
      const { item } = await under.store.claim(claimOf('a', carol, { now: before + 30 * dayMs }));
      expect(item?.fence).toBeGreaterThan(last.fence);
    });

    it('remembers nothing of it: whatever comes after it starts at the clock of whoever claims', async () => {
      await under.seed(freeItem('a', { fence: before - 1 }));
      await under.store.remove({ ...removal, fence: before - 1 });
      const { item } = await under.store.claim(claimOf('a', carol, { now: before - 10 }));
      expect(item?.fence).toBe(before - 9);
    });

    it('leaves late requests of the old item nothing to do', async () => {
      await under.seed(over);
      await under.store.remove(removal);
      const { owner = '' } = over;
      const late = { lockId: 'a', me: owner, ttl: over.ttl };
      const identity = { principal: 'p' };
      for (const write of [
        () => under.store.renew({ ...late, until: before + dayMs, identity }),
        () => under.store.release(late),
        () => under.store.join({ lockId: 'a', me: carol, ticketEnd: before + dayMs, lineLimit: 64 }),
        () => under.store.keepTicket({ lockId: 'a', me: carol, ticketEnd: before + dayMs }),
      ]) {
        expect(await write()).toEqual({ written: false, item: undefined });
      }
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
