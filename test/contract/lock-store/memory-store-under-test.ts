import type { LockItem } from '../../../lambda/service/lock-item.ts';
import { MemoryLockStore } from '../../../lambda/store/memory-lock-store.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export async function openMemoryStore(): Promise<StoreUnderTest> {
  const items = new Map<string, LockItem>();
  return {
    store: new MemoryLockStore(items),
    async seed(...seeds) {
      for (const item of seeds) items.set(item.lockId, item);
    },
    stored: async (lockId) => items.get(lockId),
    async remove(lockId) {
      items.delete(lockId);
    },
  };
}
