import { testIdentity, testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { ForbiddenError, IllegalArgumentError, type Lock, LockFactory, type LockView } from '../../sdk/index.ts';
import { type FaultyProxy, lockOperation, startFaultyProxy } from '../support/faulty-proxy.ts';
import { hostileLockIds } from '../support/hostile-lock-ids.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

let stack: LocalStackProcess;
let locks: LockFactory;

beforeAll(async () => {
  stack = await startLocalStack({ args: ['--auth', 'iam'] });
  locks = LockFactory.connect({ url: stack.url, credentials: testKeyPair });
});

afterAll(() => stack.stop());

async function idsIn(views: AsyncIterable<LockView>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { lockId } of views) ids.push(lockId);
  return ids.sort();
}

describe('signed requests', () => {
  let held: Lock[];

  beforeAll(async () => {
    held = hostileLockIds.map((lockId) => locks.createLock(lockId));
    await Promise.all(held.map((lock) => lock.lock()));
  });

  afterAll(() => Promise.all(held.map((lock) => lock.unlock())));

  it('look at every kind of id', async () => {
    const views = await Promise.all(hostileLockIds.map((lockId) => locks.inspect(lockId)));
    expect(views).toEqual(
      held.map(({ lockId, fencingToken }) =>
        expect.objectContaining({ lockId, fencingToken, state: 'held', principal: testIdentity.userArn }),
      ),
    );
  });

  it.each([1, 7, 1_000])('list every kind of id, %p to a page, so that each can be a cursor', async (limit) => {
    expect(await idsIn(locks.list({ limit }))).toEqual([...hostileLockIds].sort());
  });

  it('list by every kind of prefix', async () => {
    for (const prefix of hostileLockIds) {
      const expected = hostileLockIds.filter((lockId) => lockId.startsWith(prefix)).sort();
      expect([prefix, await idsIn(locks.list({ prefix }))]).toEqual([prefix, expected]);
    }
  });

  it('break every kind of id, and the old owner learns of it', async () => {
    const ids = hostileLockIds.map((id) => `${id.slice(0, 100)}-broken`);
    const leases = await Promise.all(ids.map((lockId) => locks.createLock(lockId).acquire()));
    const results = await Promise.all(
      leases.map(({ lockId, fencingToken }) => locks.break(lockId, { fencingToken, note: 'in a test' })),
    );
    expect(results).toEqual(
      ids.map((lockId) => ({ outcome: 'broken', view: expect.objectContaining({ lockId, state: 'free' }) })),
    );
    for (const lease of leases) await expect(lease.renew()).rejects.toMatchObject({ reason: 'broken' });
  });

  it('are refused with ForbiddenError when the secret is wrong', async () => {
    const stranger = LockFactory.connect({
      url: stack.url,
      credentials: { ...testKeyPair, secretAccessKey: 'wrong' },
    });
    await expect(stranger.inspect('a')).rejects.toBeInstanceOf(ForbiddenError);
    await expect(stranger.break('a', { fencingToken: 1 })).rejects.toBeInstanceOf(ForbiddenError);
    await expect(idsIn(stranger.list())).rejects.toBeInstanceOf(ForbiddenError);
  });
});

describe('a break', () => {
  it('takes exactly the hold that was looked at, and gives it to the first who waits', async () => {
    const holder = await locks.createLock('exact').acquire();
    const { fencingToken = 0 } = await locks.inspect('exact');
    expect(await locks.break('exact', { fencingToken: fencingToken - 1 })).toMatchObject({
      outcome: 'holder-changed',
      view: { fencingToken },
      perhapsBroken: false,
    });
    expect(holder.isHeld).toBe(true);
    const rivals = LockFactory.connect({ url: stack.url, credentials: testKeyPair });
    const waiting = rivals.createLock('exact').acquire();
    await until(async () => (await locks.inspect('exact')).waiters === 1);
    expect(await locks.break('exact', { fencingToken })).toMatchObject({ outcome: 'broken' });
    const successor = await waiting;
    expect(successor.fencingToken).toBeGreaterThan(fencingToken);
    expect(await locks.break('exact', { fencingToken })).toMatchObject({
      outcome: 'holder-changed',
      view: { fencingToken: successor.fencingToken },
    });
    expect(successor.isHeld).toBe(true);
    await successor.release();
    await expect(holder.release()).rejects.toMatchObject({ reason: 'broken' });
    expect(await locks.break('exact', { fencingToken })).toEqual({ outcome: 'not-held', perhapsBroken: false });
  });

  describe('over a network that loses replies', () => {
    let proxy: FaultyProxy;
    let remote: LockFactory;

    beforeAll(async () => {
      proxy = await startFaultyProxy(stack.url, lockOperation);
      // The proxy leaves the host as the client wrote it, so signatures hold.
      remote = LockFactory.connect({ url: proxy.endpoint, credentials: testKeyPair });
    });

    afterAll(() => proxy.stop());

    it('is repeated, and tells that it may have been the one', async () => {
      const { fencingToken } = await locks.createLock('lost-reply').acquire();
      const trap = proxy.setTrap('break', 'drop-reply');
      expect(await remote.break('lost-reply', { fencingToken })).toEqual({ outcome: 'not-held', perhapsBroken: true });
      await trap.struck;
      expect(proxy.counts.get('break')).toBe(2);
    });

    it('that never arrived is repeated, and breaks', async () => {
      const { fencingToken } = await locks.createLock('never-arrived').acquire();
      proxy.setTrap('break', 'refuse');
      expect(await remote.break('never-arrived', { fencingToken })).toMatchObject({ outcome: 'broken' });
    });
  });
});

it('a listing goes through many pages, shows each lock once, and stops when the caller does', async () => {
  const ids = Array.from({ length: 40 }, (_, at) => `many-${String(at).padStart(2, '0')}`);
  const leases = await Promise.all(ids.map((lockId) => locks.createLock(lockId).acquire()));
  expect(await idsIn(locks.list({ prefix: 'many-', limit: 7 }))).toEqual(ids);
  const requests = jest.spyOn(globalThis, 'fetch');
  for await (const _view of locks.list({ prefix: 'many-', limit: 1_000 })) break;
  expect(requests).toHaveBeenCalledTimes(1);
  requests.mockRestore();
  await Promise.all(leases.map((lease) => lease.release()));
  expect(await idsIn(locks.list({ prefix: 'many-' }))).toEqual([]);
  expect(await idsIn(locks.list({ prefix: 'many-', state: 'free', limit: 1_000 }))).toEqual(ids);
});

it.each(['billing/', '100% é?#+~&=', '..', '"', '🔒'])('the prefix %p keeps applications apart', async (prefix) => {
  const ids = ['a', '42/é', prefix];
  const ours = LockFactory.connect({ url: stack.url, credentials: testKeyPair, prefix });
  const theirs = LockFactory.connect({ url: stack.url, credentials: testKeyPair, prefix: `of others ${prefix}` });
  const [held, others] = await Promise.all(
    [ours, theirs].map((factory) => Promise.all(ids.map((lockId) => factory.createLock(lockId).acquire()))),
  );
  expect(await idsIn(ours.list({ limit: 3 }))).toEqual([...ids].sort());
  expect(await idsIn(ours.list({ prefix: '42' }))).toEqual(['42/é']);
  for (const { lockId, fencingToken } of held ?? []) {
    expect(await locks.inspect(prefix + lockId)).toMatchObject({ lockId: prefix + lockId, fencingToken });
    expect(await ours.inspect(lockId)).toMatchObject({ lockId, fencingToken });
    expect(await ours.break(lockId, { fencingToken })).toMatchObject({ outcome: 'broken', view: { lockId } });
  }
  expect(await idsIn(ours.list())).toEqual([]);
  for (const lease of others ?? []) await lease.release();
});

it('what is not valid is refused before any request', async () => {
  const requests = jest.spyOn(globalThis, 'fetch');
  await expect(locks.inspect('')).rejects.toBeInstanceOf(IllegalArgumentError);
  await expect(locks.break('a', {} as never)).rejects.toBeInstanceOf(IllegalArgumentError);
  expect(() => locks.list({ limit: 0 })).toThrow(IllegalArgumentError);
  expect(requests).not.toHaveBeenCalled();
  requests.mockRestore();
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
