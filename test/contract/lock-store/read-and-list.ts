import type { LockItem } from '../../../lambda/service/lock-item.ts';
import type { ListQuery } from '../../../lambda/service/lock-store.ts';
import { freeItem, heldItem, margin, provisionalItem, T0 } from '../../support/lock-items.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

const everything: ListQuery = { prefix: '', state: 'all', cut: T0 - margin, limit: 1_000 };

const byId = (a: LockItem, b: LockItem) => (a.lockId < b.lockId ? -1 : 1);

export function readAndListContract(open: OpenStore): void {
  let under: StoreUnderTest;
  beforeEach(async () => {
    under = await open();
  });

  describe('read', () => {
    it.each([true, false])('gives the item as it is stored (consistent: %s)', async (consistent) => {
      await under.seed(heldItem('a'), freeItem('b'));
      expect(await under.store.read('a', { consistent })).toEqual(heldItem('a'));
    });

    it('gives nothing for a lock that nobody ever took', async () => {
      expect(await under.store.read('a', { consistent: true })).toBeUndefined();
    });
  });

  describe('list', () => {
    const idsOf = async (query: Partial<ListQuery>) => {
      const { items } = await under.store.list({ ...everything, ...query });
      return items.map(({ lockId }) => lockId).sort();
    };

    async function allPages(query: Partial<ListQuery>) {
      const pages: (readonly LockItem[])[] = [];
      let after: string | undefined;
      do {
        const page = await under.store.list({ ...everything, ...query, after });
        pages.push(page.items);
        after = page.next;
      } while (after !== undefined);
      return pages;
    }

    it('is empty over an empty store', async () => {
      expect(await under.store.list(everything)).toEqual({ items: [] });
    });

    it('gives the items as they are stored', async () => {
      const items = [freeItem('free'), heldItem('held'), provisionalItem('provisional')];
      await under.seed(...items);
      const { items: listed, next } = await under.store.list(everything);
      expect([...listed].sort(byId)).toEqual(items);
      expect(next).toBeUndefined();
    });

    it.each([
      ['held', ['just running', 'provisional', 'running']],
      ['over', ['ended', 'just over']],
      ['free', ['free']],
      ['all', ['ended', 'free', 'just over', 'just running', 'provisional', 'running']],
    ] as const)('keeps to the state asked for: %s', async (state, expected) => {
      await under.seed(
        freeItem('free'),
        heldItem('running'),
        provisionalItem('provisional'),
        heldItem('just running', { until: T0 - margin + 1 }),
        heldItem('just over', { until: T0 - margin }),
        heldItem('ended', { until: T0 - 60_000 }),
      );
      expect(await idsOf({ state })).toEqual(expected);
    });

    it('keeps to the prefix, letter for letter', async () => {
      await under.seed(
        ...['orders', 'orders-1', 'orders-2', 'Orders-3', 'order', 'x-orders-1'].map((id) => freeItem(id)),
      );
      expect(await idsOf({ prefix: 'orders-' })).toEqual(['orders-1', 'orders-2']);
      expect(await idsOf({ prefix: 'orders' })).toEqual(['orders', 'orders-1', 'orders-2']);
      expect(await idsOf({ prefix: '%' })).toEqual([]);
    });

    it('keeps to prefix and state together', async () => {
      await under.seed(freeItem('a-1'), heldItem('a-2'), heldItem('b-1'));
      expect(await idsOf({ prefix: 'a-', state: 'held' })).toEqual(['a-2']);
    });

    it('pages through thousands of locks, each once', async () => {
      const items = Array.from({ length: 2_500 }, (_, at) => freeItem(`lock-${at}`));
      await under.seed(...items);
      const pages = await allPages({ limit: 700 });
      expect(Math.max(...pages.map(({ length }) => length))).toBe(700);
      const ids = pages.flat().map(({ lockId }) => lockId);
      expect(ids).toHaveLength(2_500);
      expect(new Set(ids)).toEqual(new Set(items.map(({ lockId }) => lockId)));
    });

    it('counts the locks it examined, so that a page may be empty and not the last', async () => {
      await under.seed(...Array.from({ length: 20 }, (_, at) => freeItem(`lock-${at}`)), heldItem('the one'));
      const pages = await allPages({ limit: 3, state: 'held' });
      expect(pages.length).toBeGreaterThanOrEqual(7);
      expect(pages.filter(({ length }) => length === 0).length).toBe(pages.length - 1);
      expect(pages.flat()).toEqual([heldItem('the one')]);
    });

    it('goes on behind a lock that was deleted meanwhile', async () => {
      await under.seed(...Array.from({ length: 10 }, (_, at) => freeItem(`lock-${at}`)));
      const first = await under.store.list({ ...everything, limit: 4 });
      await under.remove(first.next ?? '');
      const rest = await under.store.list({ ...everything, after: first.next });
      const ids = [...first.items, ...rest.items].map(({ lockId }) => lockId);
      expect(new Set(ids).size).toBe(10);
    });
  });
}
