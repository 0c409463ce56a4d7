import type { LockItem } from '../../../lambda/service/lock-item.ts';
import type { LockStore } from '../../../lambda/service/lock-store.ts';

/** A store, and a way behind its back to what it keeps. */
export interface StoreUnderTest {
  readonly store: LockStore;
  /** Puts an item as it is. */
  seed(...items: LockItem[]): Promise<void>;
  /** The item as it is stored now. */
  stored(lockId: string): Promise<LockItem | undefined>;
  /** Deletes an item, as its time to live would. */
  remove(lockId: string): Promise<void>;
}

/** Opens an empty store. */
export type OpenStore = () => Promise<StoreUnderTest>;
