import type { LockItem } from '../../../../lambda/service/lock-item.ts';
import { MemoryLockStore } from '../../../../lambda/store/memory-lock-store.ts';
import { alice, claimOf, freeItem, T0 } from '../../../support/lock-items.ts';

const nowSeconds = T0 / 1_000;

describe('an item in memory whose time to live is over', () => {
  let items: Map<string, LockItem>;
  let store: MemoryLockStore;

  beforeEach(() => {
    items = new Map();
    store = new MemoryLockStore(items);
  });

  const claim = (lockId: string, now = T0) => store.claim(claimOf(lockId, alice, { now }));

  it('is deleted when new ones are made', async () => {
    items.set('old', freeItem('old', { ttl: nowSeconds - 1 }));
    items.set('young', freeItem('young', { ttl: nowSeconds }));
    await claim('a');
    expect([...items.keys()]).toEqual(['young', 'a']);
  });

  it('stays as long as no new one is made', async () => {
    items.set('old', freeItem('old', { ttl: nowSeconds - 1 }));
    items.set('a', freeItem('a', { ttl: nowSeconds - 1 }));
    await claim('a');
    expect([...items.keys()]).toEqual(['old', 'a']);
  });

  it('is found wherever it is, sooner or later', async () => {
    for (let at = 0; at < 20; at++) items.set(`young ${at}`, freeItem(`young ${at}`, { ttl: nowSeconds + 60 }));
    items.set('old', freeItem('old', { ttl: nowSeconds - 1 }));
    for (let at = 0; at < 12; at++) await claim(`new ${at}`);
    expect(items.has('old')).toBe(false);
    expect(items.size).toBe(32);
  });

  it('does not let a later one of its id begin with a fencing token as low', async () => {
    items.set('a', freeItem('a', { fence: T0 + 5_000, ttl: nowSeconds - 1 }));
    await claim('b');
    expect(items.has('a')).toBe(false);
    const { item } = await claim('a');
    expect(item?.fence).toBe(T0 + 5_001);
  });

  it('keeps the store from growing for ever', async () => {
    let highest = 0;
    for (let at = 0; at < 5_000; at++) {
      const now = T0 + at * 1_000;
      const { item } = await store.claim(claimOf(`lock ${at}`, alice, { now, ttl: now / 1_000 + 60 }));
      if (!item) throw new Error('the claim was refused');
      highest = Math.max(highest, items.size);
    }
    // One a second, each kept for a minute, and found within as long again.
    expect(highest).toBeLessThan(150);
  });
});
