import { hostileLockIds } from '../../support/hostile-lock-ids.ts';
import { bob, claimOf, T0, tokenOf } from '../../support/lock-items.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

export function idsContract(open: OpenStore): void {
  describe('lock ids', () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });

    it('are byte-exact: each is its own lock, in item, read and list', async () => {
      for (const [at, lockId] of hostileLockIds.entries()) {
        const me = tokenOf(`owner${at}`);
        const { written, item } = await under.store.claim(claimOf(lockId, me));
        expect({ written, lockId: item?.lockId }).toEqual({ written: true, lockId });
        expect(await under.store.read(lockId, { consistent: true })).toMatchObject({ lockId, owner: me });
      }
      const { items } = await under.store.list({ prefix: '', state: 'all', cut: T0, limit: 1_000 });
      const ids = items.map(({ lockId }) => lockId);
      expect(ids.sort()).toEqual([...hostileLockIds].sort());
    });

    it('are pages’ cursors as they are', async () => {
      for (const lockId of hostileLockIds) await under.store.claim(claimOf(lockId, bob));
      const ids: string[] = [];
      let after: string | undefined;
      do {
        const page = await under.store.list({ prefix: '', state: 'all', cut: T0, limit: 1, after });
        ids.push(...page.items.map(({ lockId }) => lockId));
        after = page.next;
      } while (after !== undefined);
      expect(ids.sort()).toEqual([...hostileLockIds].sort());
    });
  });
}
