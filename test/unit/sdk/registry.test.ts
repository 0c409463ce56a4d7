import { IllegalArgumentError, LockFactory, registry } from '../../../sdk/index.ts';
import { ServiceBackend } from '../../support/service-backend.ts';

const name = '_muleLockFactory';
let locks: LockFactory;

beforeEach(() => {
  locks = new LockFactory(new ServiceBackend());
});

afterEach(() => registry.unregister(name));

describe('the registry', () => {
  it('finds the very factory that was registered', async () => {
    registry.register(name, locks);
    const found = registry.lookupByName(name);
    expect(found.isPresent()).toBe(true);
    expect(found.get()).toBe(locks);
    const lock = found.get().createLock('a');
    expect(await lock.tryLock()).toBe(true);
    expect(await locks.createLock('a').tryLock()).toBe(false);
    await lock.unlock();
  });

  it('finds it from another copy of the module', async () => {
    registry.register(name, locks);
    await jest.isolateModulesAsync(async () => {
      const copy = await import('../../../sdk/index.ts');
      expect(copy.registry).not.toBe(registry);
      expect(copy.registry.lookupByName(name).get()).toBe(locks);
    });
  });

  it('is empty under other names', () => {
    const found = registry.lookupByName(name);
    expect(found.isPresent()).toBe(false);
    expect(() => found.get()).toThrow(new IllegalArgumentError(`no lock factory is registered under "${name}"`));
    expect(found.orElse(locks)).toBe(locks);
    expect(found.orElseGet(() => locks)).toBe(locks);
    expect(() => found.orElseThrow(() => new RangeError('none'))).toThrow(RangeError);
    found.ifPresent(() => {
      throw new Error('it is not');
    });
  });

  it('gives what is there and not what would stand for it', () => {
    registry.register(name, locks);
    const found = registry.lookupByName(name);
    const other = new LockFactory(new ServiceBackend());
    expect(found.orElse(other)).toBe(locks);
    expect(found.orElseThrow(() => new RangeError('none'))).toBe(locks);
    const used = jest.fn();
    found.ifPresent(used);
    expect(used).toHaveBeenCalledWith(locks);
  });

  it('keeps a name for one factory, until it is unregistered or the factory disposed', async () => {
    registry.register(name, locks);
    registry.register(name, locks);
    const other = new LockFactory(new ServiceBackend());
    expect(() => registry.register(name, other)).toThrow(IllegalArgumentError);
    await locks.dispose();
    expect(registry.lookupByName(name).isPresent()).toBe(false);
    registry.register(name, other);
    expect(registry.lookupByName(name).get()).toBe(other);
    registry.unregister(name);
    expect(registry.lookupByName(name).isPresent()).toBe(false);
  });

  it.each([
    ['', new LockFactory(new ServiceBackend())],
    [undefined, new LockFactory(new ServiceBackend())],
    [name, undefined],
    [name, {}],
  ])('refuses %p with %p', (key, factory) => {
    expect(() => registry.register(key as string, factory as LockFactory)).toThrow(IllegalArgumentError);
  });
});
