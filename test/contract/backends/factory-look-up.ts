import { type LockFactory, registry } from '../../../sdk/index.ts';
import type { Under } from './backend-under-test.ts';

/** Scenario 13. */
export function factoryLookUpContract(under: Under): void {
  it('a factory that is handed in and one that is looked up by name are the same', async () => {
    class Invoices {
      constructor(private readonly locks: LockFactory) {}
      book(): Promise<boolean> {
        return this.locks.createLock('invoice').tryLock();
      }
    }
    const locks = under().connect();
    registry.register('_muleLockFactory', locks);
    try {
      const found = registry.lookupByName('_muleLockFactory');
      expect(found.isPresent()).toBe(true);
      expect(found.get()).toBe(locks);
      const mine = found.get().createLock('invoice');
      await mine.lock();
      expect(await new Invoices(locks).book()).toBe(false);
      await mine.unlock();
      await locks.dispose();
      expect(registry.lookupByName('_muleLockFactory').isPresent()).toBe(false);
    } finally {
      registry.unregister('_muleLockFactory');
    }
  });
}
