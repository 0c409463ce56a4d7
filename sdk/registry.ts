import { IllegalArgumentError } from './errors.ts';
import type { LockFactory } from './lock-factory.ts';
import { Optional } from './optional.ts';
import { shown } from './options.ts';

// One for all copies of this package in the process, so that its ES module and CommonJS forms find the same factories.
const key = Symbol.for('holdfast.registry');

function factories(): Map<string, LockFactory> {
  const shared = globalThis as { [key]?: Map<string, LockFactory> };
  shared[key] ??= new Map();
  return shared[key];
}

/**
 * Lock factories by name, for code that cannot be handed one: scripts, plug-ins, what was written for Mule's registry.
 * A factory that was disposed is not found any more.
 *
 * @example
 * registry.register('_muleLockFactory', LockFactory.fromEnv()); // once, where the program starts
 * const locks = registry.lookupByName('_muleLockFactory').get(); // anywhere
 */
export const registry = {
  /**
   * Makes a factory known under a name; again under the same name does nothing.
   *
   * @param name text, not empty
   * @throws IllegalArgumentError when the name is taken by another factory, or is none
   */
  register(name: string, factory: LockFactory): void {
    if (typeof name !== 'string' || name === '') {
      throw new IllegalArgumentError(`a factory is registered under a text that is not empty, got ${shown(name)}`);
    }
    if (typeof factory?.createLock !== 'function') {
      throw new IllegalArgumentError(`register needs a LockFactory, got ${shown(factory)}`);
    }
    const known = find(name);
    if (known !== undefined && known !== factory) {
      throw new IllegalArgumentError(`another lock factory is registered under ${shown(name)}; unregister it first`);
    }
    factories().set(name, factory);
  },

  /** Forgets a name. The factory itself goes on. */
  unregister(name: string): void {
    factories().delete(name);
  },

  /** The factory of a name, as an optional: `isPresent()`, `get()`, `orElse(other)`, … It never throws. */
  lookupByName(name: string): Optional<LockFactory> {
    return new Optional(find(name), `no lock factory is registered under ${shown(name)}`);
  },
};

function find(name: string): LockFactory | undefined {
  const factory = factories().get(name);
  return factory?.isDisposed ? undefined : factory;
}
