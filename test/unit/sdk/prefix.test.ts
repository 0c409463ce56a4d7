import type { Backend } from '../../../sdk/backend.ts';
import { connectEmbedded } from '../../../sdk/embedded.ts';
import { IllegalArgumentError, LockFactory, type LockView } from '../../../sdk/index.ts';
import { connectMemory, LockMemory } from '../../../sdk/memory.ts';
import { PrefixedBackend } from '../../../sdk/prefixed-backend.ts';
import { startDynamoDb, type TestDynamoDb } from '../../support/dynamodb.ts';
import { hostileLockIds } from '../../support/hostile-lock-ids.ts';
import { ScriptedBackend, type ScriptedCall, throttled } from '../../support/scripted-backend.ts';
import { ServiceBackend } from '../../support/service-backend.ts';

const viewOf = (lockId: string): LockView => ({ lockId, state: 'held', fencingToken: 7, waiters: 0 });

// Jest cannot print what differs next to a signal of the runtime.
function withoutSignal({ request, ...call }: ScriptedCall): object {
  if (typeof request !== 'object') return { ...call, request };
  const { signal: _, ...rest } = request as { signal?: AbortSignal };
  return { ...call, request: rest };
}

describe('a prefixed backend', () => {
  const inner = new ScriptedBackend();
  const backend: Backend = new PrefixedBackend(inner, 'app/');
  const token = { lockId: 'a', ownerToken: 't' };
  const lease = { ...token, leaseMs: 1_000, holder: 'me' };
  const { signal } = new AbortController();

  beforeEach(() => {
    inner.calls.length = 0;
  });

  it('puts the prefix before the id of every request, and changes nothing else', async () => {
    inner.answer = throttled;
    const heir = { ownerToken: 'h', leaseMs: 1_000, holder: undefined };
    await backend.try(lease, 1);
    await backend.acquire({ ...lease, waitMs: 5, resume: true, signal }, 2);
    await backend.renew(lease, 3);
    await backend.release({ ...token, expectWaiters: true, heir }, 4);
    await backend.inspect('a', 5);
    await backend.break({ lockId: 'a', fencingToken: 7, note: 'n' }, 6);
    await backend.list({ prefix: 'p', state: 'all', limit: 9, cursor: 'c' }, 7);
    const lockId = 'app/a';
    expect(inner.calls[1]?.request).toHaveProperty('signal', signal);
    expect(inner.calls.map(withoutSignal)).toEqual([
      { operation: 'try', request: { ...lease, lockId }, timeoutMs: 1 },
      { operation: 'acquire', request: { ...lease, lockId, waitMs: 5, resume: true }, timeoutMs: 2 },
      { operation: 'renew', request: { ...lease, lockId }, timeoutMs: 3 },
      { operation: 'release', request: { ...token, lockId, expectWaiters: true, heir }, timeoutMs: 4 },
      { operation: 'inspect', request: lockId, timeoutMs: 5 },
      { operation: 'break', request: { lockId, fencingToken: 7, note: 'n' }, timeoutMs: 6 },
      { operation: 'list', request: { prefix: 'app/p', state: 'all', limit: 9, cursor: 'c' }, timeoutMs: 7 },
    ]);
  });

  it('gives answers without a view as they are', async () => {
    const answer = throttled();
    inner.answer = () => answer;
    expect(await backend.inspect('a', 1)).toBe(answer);
    expect(await backend.list({ prefix: '', state: 'all', limit: 9, cursor: undefined }, 1)).toBe(answer);
    expect(await backend.break({ lockId: 'a', fencingToken: 7, note: undefined }, 1)).toBe(answer);
  });

  it('takes the prefix off every view', async () => {
    inner.answer = () => ({ kind: 'viewed', view: viewOf('app/a') });
    expect(await backend.inspect('a', 1)).toEqual({ kind: 'viewed', view: viewOf('a') });
    inner.answer = () => ({ kind: 'holder-changed', view: viewOf('app/a') });
    const request = { lockId: 'a', fencingToken: 7, note: undefined };
    expect(await backend.break(request, 1)).toEqual({ kind: 'holder-changed', view: viewOf('a') });
  });

  it('lists only what is under the prefix', async () => {
    const ids = ['app/a', 'app/', 'app', 'ap/b', 'App/c', 'app/app/d', 'other'];
    inner.answer = () => ({ kind: 'listed', views: ids.map(viewOf), cursor: 'other' });
    expect(await backend.list({ prefix: '', state: 'all', limit: 9, cursor: undefined }, 1)).toEqual({
      kind: 'listed',
      views: [viewOf('a'), viewOf('app/d')],
      cursor: 'other',
    });
  });

  it('closes the backend behind it', () => {
    backend.close();
    expect(inner.closed).toBe(1);
  });
});

describe('a factory with a prefix', () => {
  let backend: ServiceBackend;

  beforeEach(() => {
    backend = new ServiceBackend();
  });

  it.each(['orders/', '~', 'é', '../', '🔒', ' '])(
    '%p shares no lock with one without, or with another',
    async (prefix) => {
      const [ours, theirs, bare] = [prefix, `x${prefix}`, ''].map((each) => new LockFactory(backend, { prefix: each }));
      for (const lockId of hostileLockIds.filter((id) => Buffer.byteLength(id) < 500)) {
        const locks = [ours, theirs, bare].map((factory) => factory?.createLock(lockId));
        expect(await Promise.all(locks.map((lock) => lock?.tryLock()))).toEqual([true, true, true]);
        expect(locks.map((lock) => lock?.lockId)).toEqual([lockId, lockId, lockId]);
        await Promise.all(locks.map((lock) => lock?.unlock()));
      }
    },
  );

  it('meets one without that puts the prefix there itself', async () => {
    await new LockFactory(backend, { prefix: 'orders/' }).createLock('42').lock();
    expect(await new LockFactory(backend).createLock('orders/42').tryLock()).toBe(false);
    expect(backend.calls.at(-1)).toMatchObject({ lockId: 'orders/42' });
  });

  it('passes a lock on, renews and loses it under the id of the user', async () => {
    const locks = new LockFactory(backend, { prefix: 'orders/' });
    const first = await locks.createLock('42').acquire();
    const second = locks.createLock('42').acquire();
    await first.renew();
    await first.release();
    const lease = await second;
    expect(lease.toJSON()).toMatchObject({ lockId: '42' });
    await backend.service.break({ lockId: 'orders/42', fencingToken: lease.fencingToken });
    await expect(lease.renew()).rejects.toMatchObject({ code: 'lease-lost', lockId: '42', reason: 'broken' });
    expect(await locks.dispose()).toEqual([]);
  });

  it('bounds prefix and id together by 512 UTF-8 bytes, and says that the prefix counts', async () => {
    const locks = new LockFactory(backend, { prefix: 'é/' });
    expect(locks.createLock('x'.repeat(509)).lockId).toHaveLength(509);
    const tooLong = 'x'.repeat(510);
    const rule = /prefix "é\/" of this factory .* 1 to 512 UTF-8 bytes, got 513 bytes/;
    expect(() => locks.createLock(tooLong)).toThrow(IllegalArgumentError);
    expect(() => locks.createLock(tooLong)).toThrow(rule);
    await expect(locks.withLock(tooLong, () => 1)).rejects.toThrow(rule);
    await expect(locks.inspect(tooLong)).rejects.toThrow(rule);
    await expect(locks.break(tooLong, { fencingToken: 1 })).rejects.toThrow(rule);
    expect(() => locks.list({ prefix: tooLong })).toThrow(/the factory's own counted.*got 513 bytes/);
    expect(() => locks.createLock('')).toThrow(/got empty text/);
    expect(backend.calls).toEqual([]);
  });

  it.each([null, 7, {}, '\uD800', 'x'.repeat(512), 'é'.repeat(256)])('is refused with %p', (prefix) => {
    expect(() => new LockFactory(backend, { prefix: prefix as never })).toThrow(IllegalArgumentError);
    expect(() => LockFactory.connect({ url: 'https://locks', prefix: prefix as never })).toThrow(IllegalArgumentError);
  });

  it.each([undefined, ''])('may have none: %p', async (prefix) => {
    const locks = new LockFactory(backend, { prefix } as object);
    await locks.createLock('x'.repeat(512)).lock();
    expect(backend.calls).toMatchObject([{ lockId: 'x'.repeat(512) }]);
    expect(() => LockFactory.connect({ url: 'https://locks', prefix } as never)).not.toThrow();
  });

  it('may have one that leaves a single byte', async () => {
    const locks = new LockFactory(backend, { prefix: 'x'.repeat(511) });
    expect(await locks.createLock('a').tryLock()).toBe(true);
    expect(() => locks.createLock('ab')).toThrow(IllegalArgumentError);
  });

  it('adopts no lease whose id has no room for the prefix', async () => {
    const lease = await new LockFactory(backend).createLock('x'.repeat(512)).acquire();
    const text = await lease.export();
    const calls = backend.calls.length;
    await expect(new LockFactory(backend, { prefix: 'p' }).adopt(text)).rejects.toThrow(/got 513 bytes/);
    expect(backend.calls).toHaveLength(calls);
  });
});

describe('in memory, and over a table', () => {
  let dynamoDb: TestDynamoDb;

  beforeAll(async () => {
    dynamoDb = await startDynamoDb();
  });

  afterAll(() => dynamoDb.stop());

  it.each(['memory', 'table'])('%s: looking, listing and breaking know the id of the user', async (place) => {
    const memory = new LockMemory();
    const table = await dynamoDb.createTable();
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const connect = (prefix: string) =>
      place === 'memory'
        ? connectMemory({ memory, prefix })
        : connectEmbedded({ table, endpoint: dynamoDb.endpoint, credentials, prefix });
    const [ours, theirs, all] = [connect('ours/'), connect('theirs/'), connect('')];
    const held = await ours.createLock('a').acquire();
    await theirs.createLock('b').acquire();
    expect(await idsIn(ours.list())).toEqual(['a']);
    expect(await idsIn(all.list())).toEqual(['ours/a', 'theirs/b']);
    expect(await ours.inspect('a')).toMatchObject({ lockId: 'a', state: 'held' });
    expect(await ours.inspect('b')).toEqual({ lockId: 'b', state: 'free', waiters: 0 });
    const { fencingToken } = held;
    expect(await ours.break('a', { fencingToken })).toMatchObject({ outcome: 'broken', view: { lockId: 'a' } });
    expect(await theirs.break('a', { fencingToken })).toMatchObject({ outcome: 'not-held' });
    await expect(held.renew()).rejects.toMatchObject({ code: 'lease-lost', lockId: 'a', reason: 'broken' });
    await Promise.all([ours, theirs, all].map((factory) => factory.dispose({ timeoutMs: 0 })));
    // Looking acquires nothing; what it opens is closed by the next dispose.
    expect(await ours.inspect('a')).toMatchObject({ lockId: 'a', state: 'free' });
    await ours.dispose();
  });

  async function idsIn(views: AsyncIterable<LockView>): Promise<string[]> {
    const ids: string[] = [];
    for await (const { lockId } of views) ids.push(lockId);
    return ids.sort();
  }
});
