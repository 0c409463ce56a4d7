import type { LockItem } from '../../../lambda/service/lock-item.ts';
import type { LockStore } from '../../../lambda/service/lock-store.ts';
import { MemoryLockStore } from '../../../lambda/store/memory-lock-store.ts';
import type { LockFactory } from '../../../sdk/index.ts';
import { connectMemory, type LockMemory } from '../../../sdk/memory.ts';
import type { BackendUnderTest, ConnectOptions } from './backend-under-test.ts';
import { StoreNetwork } from './store-network.ts';

/** The SDK over locks in the memory of this process. */
export async function startMemoryBackend(): Promise<BackendUnderTest> {
  const items = new Map<string, LockItem>();
  const store = new MemoryLockStore(items);
  const networks: StoreNetwork[] = [];
  const factories: LockFactory[] = [];

  function connect(options: ConnectOptions = {}, over: LockStore = store): LockFactory {
    const locks = connectMemory({ memory: memoryOf(over), ...options });
    factories.push(locks);
    return locks;
  }

  return {
    connect: (options) => connect(options),
    async connectOver(options) {
      const network = new StoreNetwork(store);
      networks.push(network);
      return { locks: connect(options, network.store), network };
    },
    isRemote: false,
    // Every 50 ms, half as long to half again as long.
    looksPerSecond: 40,
    startRival: undefined,
    rawItem: async (lockId) => items.get(lockId),
    async seed(seeds) {
      for (const item of seeds) items.set(item.lockId, item);
    },
    async deleteItem(lockId) {
      items.delete(lockId);
    },
    log: () => '',
    async close() {
      for (const network of networks) {
        network.setRule();
        network.dropConnections();
      }
      await Promise.all(factories.map((locks) => locks.dispose({ timeoutMs: 0 })));
    },
  };
}

// A memory that is no more than its store.
function memoryOf(store: LockStore): LockMemory {
  return { store } as unknown as LockMemory;
}
