import { IllegalArgumentError } from '../../../sdk/index.ts';
import { hostileLockIds } from '../../support/hostile-lock-ids.ts';
import type { Under } from './backend-under-test.ts';

/** Scenarios 13 and 24. */
export function lockIdsContract(under: Under): void {
  it.each([undefined, null, '', 42, {}, Symbol('id'), 'x'.repeat(513), 'ä'.repeat(257), '\ud800', 'a\udc00b'])(
    'the lock id %p is an IllegalArgumentError, and asks for nothing',
    async (lockId) => {
      const { locks, network } = await under().connectOver();
      expect(() => locks.createLock(lockId as string)).toThrow(IllegalArgumentError);
      await expect(locks.withLock(lockId as string, () => 1)).rejects.toThrow(IllegalArgumentError);
      expect(network.asked).toEqual([]);
    },
  );

  it('ids of every kind are locks of their own, byte for byte', async () => {
    const [here, there] = [under().connect(), under().connect()];
    const handles = hostileLockIds.map((lockId) => here.createLock(lockId));
    // All at once: were two ids one lock, one of them would be refused.
    expect(await Promise.all(handles.map((lock) => lock.tryLock()))).toEqual(handles.map(() => true));
    for (const { lockId, fencingToken } of handles) {
      expect(await under().rawItem(lockId)).toMatchObject({ lockId, fence: fencingToken });
    }
    const listed: string[] = [];
    for await (const { lockId } of there.list({ limit: 1_000 })) listed.push(lockId);
    expect(listed.filter((lockId) => hostileLockIds.includes(lockId)).sort()).toEqual([...hostileLockIds].sort());
    const rivals = hostileLockIds.map((lockId) => there.createLock(lockId).tryLock());
    expect(await Promise.all(rivals)).toEqual(handles.map(() => false));
    await Promise.all(handles.map((lock) => lock.unlock()));
    const taken = hostileLockIds.map((lockId) => there.createLock(lockId));
    expect(await Promise.all(taken.map((lock) => lock.tryLock()))).toEqual(handles.map(() => true));
    await Promise.all(taken.map((lock) => lock.unlock()));
  });
}
