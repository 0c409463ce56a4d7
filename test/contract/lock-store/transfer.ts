import type { LockItem } from '../../../lambda/service/lock-item.ts';
import {
  alice,
  bob,
  carol,
  dave,
  freeItem,
  heldItem,
  provisionalItem,
  T0,
  transferOf,
  withLine,
} from '../../support/lock-items.ts';
import { expectRefusal } from './refusal.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

export function transferContract(open: OpenStore): void {
  describe('transfer', () => {
    let under: StoreUnderTest;
    const transfer = transferOf('a', alice, bob);
    const bobs: LockItem = {
      lockId: 'a',
      owner: bob,
      until: T0 + 30_000,
      fence: 101,
      since: T0,
      holder: 'host-b',
      principal: 'arn:aws:iam::1:user/bob',
      last: alice,
      queue: [],
      tickets: {},
      rev: 8,
      ttl: transfer.ttl,
    };
    beforeEach(async () => {
      under = await open();
    });

    it.each<[string, LockItem, Partial<LockItem>]>([
      ['a held lock', heldItem('a', { last: dave, broken: carol, since: T0 - 60_000 }), { broken: carol }],
      ['a lock whose lease ended, while nobody else took it', heldItem('a', { until: T0 - 60_000 }), {}],
      ['a provisional hold', provisionalItem('a'), {}],
    ])('gives %s to the heir, in the heir’s name', async (_, hold, remembered) => {
      await under.seed(hold);
      const item = { ...bobs, ...remembered };
      expect(await under.store.transfer(transfer)).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('gives a lock that is awaited to the holder itself under another token, and leaves the line as it is', async () => {
      const line = { [carol]: T0 + 5_000, [dave]: T0 + 9_000 };
      await under.seed(withLine(heldItem('a'), line));
      const item = { ...bobs, queue: [carol, dave], tickets: line };
      expect(await under.store.transfer({ ...transfer, whileAwaited: true })).toEqual({ written: true, item });
      expect(await under.stored('a')).toEqual(item);
    });

    it('gives nothing of another’s hold, awaited or not', async () => {
      await under.seed(heldItem('a', { owner: dave }));
      await expectRefusal(under, 'a', () => under.store.transfer({ ...transfer, whileAwaited: true }));
    });

    it('does not let an heir without a label inherit the label of the one before', async () => {
      await under.seed(heldItem('a'));
      const { holder: _holder, ...unlabelled } = bobs;
      const item = { ...unlabelled, principal: 'p' };
      expect(await under.store.transfer({ ...transfer, identity: { principal: 'p' } })).toEqual({
        written: true,
        item,
      });
      expect(await under.stored('a')).toEqual(item);
    });

    it.each([
      ['with a valid ticket', T0 + 5_000],
      ['whose ticket ended', T0 - 60_000],
    ])('is refused while somebody stands in line, %s', async (_, ticketEnd) => {
      await under.seed(withLine(heldItem('a'), { [carol]: ticketEnd }));
      await expectRefusal(under, 'a', () => under.store.transfer(transfer));
    });

    it('is refused on the lock of another', async () => {
      await under.seed(heldItem('a', { owner: carol }));
      await expectRefusal(under, 'a', () => under.store.transfer(transfer));
    });

    it('is refused on a free lock, also for the one that released it', async () => {
      await under.seed(freeItem('a', { last: alice }));
      await expectRefusal(under, 'a', () => under.store.transfer(transfer));
    });

    it('is refused when it is repeated, and the item shows who gave and who has it', async () => {
      await under.seed(heldItem('a'));
      await under.store.transfer(transfer);
      await expectRefusal(under, 'a', () => under.store.transfer(transfer));
      expect(await under.stored('a')).toEqual(bobs);
    });

    it('is refused when it arrives again after the heir released', async () => {
      await under.seed(heldItem('a'));
      await under.store.transfer(transfer);
      await under.store.release({ lockId: 'a', me: bob, ttl: transfer.ttl });
      await expectRefusal(under, 'a', () => under.store.transfer(transfer));
      expect(await under.stored('a')).toMatchObject({ last: bob, fence: 101 });
    });

    it('never makes an item', async () => {
      expect(await under.store.transfer(transfer)).toEqual({ written: false, item: undefined });
      expect(await under.stored('a')).toBeUndefined();
    });
  });
}
