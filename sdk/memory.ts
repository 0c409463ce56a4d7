import { LockService } from '../lambda/service/lock-service.ts';
import { memoryTiming } from '../lambda/service/timing.ts';
import { MemoryLockStore } from '../lambda/store/memory-lock-store.ts';
import { type CommonOptions, checkCommonOptions } from './common-options.ts';
import { IllegalArgumentError } from './errors.ts';
import { InProcessBackend } from './in-process/in-process-backend.ts';
import { processSurroundings } from './in-process/surroundings.ts';
import { LockFactory } from './lock-factory.ts';
import { checkObject, shown } from './options.ts';

/**
 * Locks in the memory of this process. Factories that are connected to one memory exclude one another; two memories have
 * nothing to do with each other. What is in it goes with the process.
 *
 * @example
 * const memory = new LockMemory();
 * const [here, there] = [connectMemory({ memory }), connectMemory({ memory })]; // exclude one another
 */
export class LockMemory {
  // Private to TypeScript only: a memory may come from another copy of this package, such as the CommonJS one.
  private readonly store = new MemoryLockStore();

  /** @internal */
  static storeOf(memory: LockMemory): MemoryLockStore {
    return memory.store;
  }
}

/**
 * Where locks in memory are kept, and the defaults of a factory's locks.
 *
 * @example const options: MemoryOptions = { memory: new LockMemory(), leaseMs: 5_000 };
 */
export interface MemoryOptions extends CommonOptions {
  /** The locks that this factory shares with others. Default: its own, shared with nobody. */
  readonly memory?: LockMemory;
}

/**
 * A factory over locks in the memory of this process: for a service that runs on one server, and for tests.
 *
 * It is the same lock as the one over DynamoDB, by the same rules: leases, fencing tokens, the line. It needs no network
 * and no timers while nobody holds or waits, reads the clock and sets its timers at call time (fake timers work), and a
 * lease that ends is free at once, for one process has one clock.
 *
 * @example
 * const locks = connectMemory();
 * await locks.withLock('orders-42', async ({ fencingToken }) => book(id, { fencingToken }));
 *
 * @throws IllegalArgumentError for an option that is not valid
 */
export function connectMemory(options: MemoryOptions = {}): LockFactory {
  checkObject(options, 'connectMemory takes an object of options');
  const { memory = new LockMemory(), ...rest } = options;
  checkCommonOptions(rest);
  if (!isLockMemory(memory)) throw new IllegalArgumentError(`memory must be a LockMemory, got ${shown(memory)}`);
  const service = new LockService(LockMemory.storeOf(memory), processSurroundings, memoryTiming);
  return new LockFactory(new InProcessBackend(service, 'local'), rest);
}

// No `instanceof`: see the class.
function isLockMemory(value: unknown): value is LockMemory {
  const { store } = (value ?? {}) as { store?: Partial<MemoryLockStore> };
  return typeof store?.claim === 'function';
}
