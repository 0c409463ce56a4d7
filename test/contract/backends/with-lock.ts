import { setImmediate as turn } from 'node:timers/promises';
import type { Under } from './backend-under-test.ts';
import { breakHold } from './break-hold.ts';
import { newLockId } from './new-lock-id.ts';

/** Scenario 9. */
export function withLockContract(under: Under): void {
  it('withLock() holds while its body runs, gives what the body gives, and frees the lock', async () => {
    const lockId = newLockId();
    const locks = under().connect();
    const result = await locks.withLock(lockId, async ({ fencingToken, signal, assertHeld }) => {
      expect(await under().rawItem(lockId)).toMatchObject({ owner: expect.any(String), fence: fencingToken });
      expect(await under().connect().createLock(lockId).tryLock()).toBe(false);
      await turn();
      assertHeld();
      return signal.aborted ? 'lost' : 'done';
    });
    expect(result).toBe('done');
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });

  it('withLock() inside withLock() of one id is one grant, at any depth and after any await', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    const fences = await locks.withLock(lockId, async ({ fencingToken: outer }) => {
      await turn();
      return locks.withLock(newLockId(), () =>
        locks.withLock(lockId, async ({ fencingToken: inner }) => {
          await turn();
          return locks.createLock(lockId).withLock(async ({ fencingToken: innermost }) => [outer, inner, innermost]);
        }),
      );
    });
    expect(new Set(fences).size).toBe(1);
    expect(network.asked.filter((step) => step === 'claim')).toHaveLength(2);
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });

  it('branches that the body forks exclude one another', async () => {
    const lockId = newLockId();
    const { locks, network } = await under().connectOver();
    let inside = 0;
    let count = 0;
    const branch = () =>
      locks.withLock(lockId, async () => {
        expect(++inside).toBe(1);
        const read = count;
        await turn();
        count = read + 1;
        inside--;
      });
    await locks.withLock(lockId, () => Promise.all([branch(), branch(), branch()]));
    expect(count).toBe(3);
    expect(network.asked).toEqual(['claim', 'release']);
  });

  it('a branch that comes after the scope is an outsider, with a grant of its own', async () => {
    const lockId = newLockId();
    const locks = under().connect();
    const rival = under().connect().createLock(lockId);
    let comeBack: () => void = () => undefined;
    const later = new Promise<void>((resolve) => {
      comeBack = resolve;
    });
    const [first, branch] = await locks.withLock(lockId, ({ fencingToken }) => {
      const outliving = later.then(() => locks.withLock(lockId, (scope) => scope.fencingToken));
      return [fencingToken, { outliving }] as const;
    });
    await rival.lock();
    comeBack();
    await turn();
    expect(await under().rawItem(lockId)).toMatchObject({ fence: rival.fencingToken });
    const between = rival.fencingToken ?? 0;
    await rival.unlock();
    expect(between).toBeGreaterThan(first);
    expect(await branch.outliving).toBeGreaterThan(between);
  });

  it('the error of the body reaches the caller, inner or outer, and the lock is free', async () => {
    const lockId = newLockId();
    const locks = under().connect();
    const error = new Error('of the body');
    const nested = locks.withLock(lockId, () => locks.withLock(lockId, () => Promise.reject(error)));
    await expect(nested).rejects.toBe(error);
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });

  it('withLock() whose lease was broken rejects with LeaseLostError, although the body went well', async () => {
    const lockId = newLockId();
    const broken = under()
      .connect()
      .withLock(lockId, ({ fencingToken }) => breakHold(under(), lockId, fencingToken));
    await expect(broken).rejects.toMatchObject({ code: 'lease-lost', reason: 'broken' });
    expect(await under().rawItem(lockId)).not.toHaveProperty('owner');
  });

  it('flows under withLock() exclude one another', async () => {
    const lockId = newLockId();
    const factories = [under().connect(), under().connect()];
    let count = 0;
    const flow = (at: number) =>
      factories[at % 2]?.withLock(lockId, async () => {
        const read = count;
        await turn();
        count = read + 1;
      });
    await Promise.all([0, 1, 2, 3, 4, 5].map(flow));
    expect(count).toBe(6);
  });
}
