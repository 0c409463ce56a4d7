import { inspect } from 'node:util';
import { type Lock, UnsupportedOperationError } from '../../../sdk/index.ts';
import type { Under } from './backend-under-test.ts';
import { newLockId } from './new-lock-id.ts';

/** Scenario 7. */
export function handleContract(under: Under): void {
  it('newCondition() throws at once and asks for nothing, also while the lock is held', async () => {
    const { locks, network } = await under().connectOver();
    const lock = locks.createLock(newLockId());
    expect(() => lock.newCondition()).toThrow(UnsupportedOperationError);
    expect(network.asked).toEqual([]);
    await lock.lock();
    expect(() => lock.newCondition()).toThrow(UnsupportedOperationError);
    expect(network.asked).toEqual(['claim']);
    await lock.unlock();
  });

  it('toString() tells unlocked from locked by this handle', async () => {
    const lock = under().connect().createLock(newLockId());
    const rival = under().connect().createLock(lock.lockId);
    expect(String(lock)).toBe(`Lock("${lock.lockId}")[unlocked]`);
    await lock.lock();
    expect(String(lock)).toBe(`Lock("${lock.lockId}")[locked by this handle, fencing token ${lock.fencingToken}]`);
    expect(String(rival)).toBe(`Lock("${lock.lockId}")[unlocked]`);
    expect(inspect(lock)).toBe(String(lock));
    await lock.unlock();
    expect(String(lock)).toBe(`Lock("${lock.lockId}")[unlocked]`);
  });

  it.each<[string, (lock: Lock) => unknown]>([
    ['spread', (lock) => ({ ...lock })],
    ['assigned to a handle', (lock) => Object.assign(under().connect().createLock(lock.lockId), { ...lock })],
    ['revived from JSON', (lock) => JSON.parse(JSON.stringify(lock))],
    ['cloned', (lock) => structuredClone(JSON.parse(JSON.stringify(lock)))],
    ['copied with its prototype', (lock) => Object.create(lock, Object.getOwnPropertyDescriptors(lock))],
  ])('a handle that is %s holds nothing and gives nothing back', async (_, copyOf) => {
    const lock = under().connect().createLock(newLockId());
    await lock.lock();
    const copy = copyOf(lock) as Lock;
    await expect((async () => copy.unlock())()).rejects.toThrow();
    expect(lock.isHeld).toBe(true);
    expect(await under().rawItem(lock.lockId)).toMatchObject({ owner: expect.any(String), fence: lock.fencingToken });
    await lock.unlock();
  });
}
