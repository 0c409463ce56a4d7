import { handlersUnderTest, madeToken } from '../../../support/handlers-under-test.ts';
import { hostileLockIds } from '../../../support/hostile-lock-ids.ts';
import {
  alice,
  bob,
  carol,
  dave,
  freeItem,
  heldItem,
  provisionalItem,
  T0,
  withWaiter,
} from '../../../support/lock-items.ts';
import { expectNoSecretIn } from '../../../support/secrets.ts';

const iso = (ms: number) => new Date(ms).toISOString();

const lease = {
  lockId: 'a',
  ownerToken: bob,
  fencingToken: T0 + 1,
  leaseMs: 30_000,
  expiresInMs: 30_000,
  expiresAt: iso(T0 + 30_000),
  provisional: false,
  waiters: 0,
};

const problem = (code: string, status: number, more: object) => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  body: {
    type: `urn:holdfast:problem:${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code,
    requestId: 'request-1',
    ...more,
  },
});

const ok = (body: object) => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body,
});

describe('try', () => {
  it('answers a lease', async () => {
    const { send, items } = handlersUnderTest();
    expect(await send('try', { body: { ownerToken: bob, holder: 'host-b', leaseMs: 30_000 } })).toEqual(ok(lease));
    expect(items.get('a')).toMatchObject({ owner: bob, holder: 'host-b', principal: 'local' });
  });

  it('without a body answers a lease of the default length, for a token that the service made', async () => {
    const { send } = handlersUnderTest();
    expect(await send('try', { contentType: null })).toEqual(ok({ ...lease, ownerToken: madeToken }));
  });

  it('with an empty object does the same', async () => {
    const { send } = handlersUnderTest();
    expect(await send('try', { body: {} })).toEqual(ok({ ...lease, ownerToken: madeToken }));
  });

  it('answers who holds the lock, and when to ask again', async () => {
    const { send } = handlersUnderTest({ items: [heldItem('a')] });
    const answer = await send('try', { body: { ownerToken: bob } });
    const expected = problem('lock-held', 409, {
      holder: 'host-a',
      principal: 'arn:aws:iam::1:user/alice',
      expiresInMs: 30_000,
      waiters: 0,
      retryAfterMs: 250,
    });
    expect(answer).toEqual({ ...expected, headers: { ...expected.headers, 'retry-after': '1' } });
  });

  it('answers that a token has had its lease', async () => {
    const { send } = handlersUnderTest({ items: [freeItem('a', { last: bob })] });
    expect(await send('try', { body: { ownerToken: bob } })).toEqual(problem('token-spent', 409, {}));
  });

  it.each(hostileLockIds)('takes the lock %j, byte for byte', async (lockId) => {
    const { send, items } = handlersUnderTest();
    expect(await send('try', { lockId, body: { ownerToken: bob } })).toEqual(ok({ ...lease, lockId }));
    expect([...items.keys()]).toEqual([lockId]);
  });
});

describe('acquire', () => {
  it('answers a lease', async () => {
    const { send } = handlersUnderTest();
    expect(await send('acquire', { body: { ownerToken: bob } })).toEqual(ok(lease));
  });

  it('without a body waits as long as it may, for a token that the service made', async () => {
    const { send, time } = handlersUnderTest({ items: [heldItem('a')] });
    expect(await send('acquire', { contentType: null })).toMatchObject({ status: 409, body: { code: 'lock-held' } });
    expect(time.now()).toBe(T0 + 20_000);
  });

  it('waits up to waitMs, and answers who holds the lock', async () => {
    const { send, time } = handlersUnderTest({ items: [heldItem('a')] });
    const answer = await send('acquire', { body: { ownerToken: bob, waitMs: 3_000 } });
    expect(answer).toMatchObject({ status: 409, body: { code: 'lock-held', holder: 'host-a', expiresInMs: 27_000 } });
    expect(time.now()).toBe(T0 + 3_000);
  });

  it('answers a provisional lease to who confirms, after a wait', async () => {
    const { send, time } = handlersUnderTest({ items: [heldItem('a', { until: T0 + 1_000 })] });
    const answer = await send('acquire', { body: { ownerToken: bob, confirm: true } });
    expect(answer).toEqual(
      ok({
        ...lease,
        fencingToken: 101,
        leaseMs: 3_000,
        expiresInMs: 3_000,
        expiresAt: iso(time.now() + 3_000),
        provisional: true,
      }),
    );
  });

  it('answers a whole lease to who does not, after a wait', async () => {
    const { send } = handlersUnderTest({ items: [heldItem('a', { until: T0 + 1_000 })] });
    const answer = await send('acquire', { body: { ownerToken: bob } });
    expect(answer).toMatchObject({ status: 200, body: { provisional: false, leaseMs: 30_000, expiresInMs: 30_000 } });
  });

  it('answers that a token has had its lease', async () => {
    const { send } = handlersUnderTest({ items: [freeItem('a', { broken: bob })] });
    expect(await send('acquire', { body: { ownerToken: bob } })).toEqual(problem('token-spent', 409, {}));
  });

  it.each([
    [28_000, 20_000],
    [26_000, 20_000],
    [25_999, 19_999],
    [10_000, 4_000],
    [6_000, 0],
    [1_000, 0],
  ])('with %d ms left of the function’s time waits %d ms, so that an answer still gets out', async (left, waited) => {
    const under = handlersUnderTest({ items: [heldItem('a')] });
    under.remainingMs = left;
    expect(await under.send('acquire', { body: { ownerToken: bob, waitMs: 20_000 } })).toMatchObject({ status: 409 });
    expect(under.time.now()).toBe(T0 + waited);
  });
});

describe('renew', () => {
  it('answers the longer lease', async () => {
    const { send } = handlersUnderTest({ items: [heldItem('a')] });
    const answer = await send('renew', { body: { ownerToken: alice, leaseMs: 60_000 } });
    expect(answer).toEqual(
      ok({
        ...lease,
        ownerToken: alice,
        fencingToken: 100,
        leaseMs: 60_000,
        expiresInMs: 60_000,
        expiresAt: iso(T0 + 60_000),
      }),
    );
  });

  it('confirms a provisional grant, in the caller’s name', async () => {
    const { send, items } = handlersUnderTest({ items: [provisionalItem('a')] });
    expect(await send('renew', { body: { ownerToken: alice, holder: 'host-a' } })).toMatchObject({
      status: 200,
      body: { provisional: false, leaseMs: 30_000 },
    });
    expect(items.get('a')).toMatchObject({ holder: 'host-a', principal: 'local' });
  });

  it.each([
    ['superseded', [heldItem('a')]],
    ['broken', [freeItem('a', { broken: bob })]],
    ['absent', []],
  ])('answers that the lease is lost, and why: %s', async (reason, items) => {
    const { send } = handlersUnderTest({ items });
    expect(await send('renew', { body: { ownerToken: bob } })).toEqual(problem('lease-lost', 409, { reason }));
  });
});

describe('release', () => {
  it('answers that it is done, also when it is repeated', async () => {
    const { send, items } = handlersUnderTest({ items: [heldItem('a')] });
    expect(await send('release', { body: { ownerToken: alice } })).toEqual(ok({ released: true }));
    expect(await send('release', { body: { ownerToken: alice } })).toEqual(ok({ released: true }));
    expect(items.get('a')).toMatchObject({ last: alice, rev: 8 });
  });

  it.each([
    ['superseded', [heldItem('a')]],
    ['broken', [freeItem('a', { broken: bob })]],
    ['absent', []],
  ])('answers that the lease is lost, and why: %s', async (reason, items) => {
    const { send } = handlersUnderTest({ items });
    expect(await send('release', { body: { ownerToken: bob } })).toEqual(problem('lease-lost', 409, { reason }));
  });
});

const heldView = {
  lockId: 'a',
  state: 'held',
  fencingToken: 100,
  holder: 'host-a',
  principal: 'arn:aws:iam::1:user/alice',
  since: iso(T0),
  expiresInMs: 30_000,
  expiresAt: iso(T0 + 30_000),
  waiters: 0,
};

describe('inspect', () => {
  it('answers what may be seen of the lock, and no token', async () => {
    const { send } = handlersUnderTest({ items: [withWaiter(heldItem('a', { last: bob, broken: dave }))] });
    const answer = await send('inspect');
    expect(answer).toEqual(ok({ ...heldView, waiters: 1 }));
    expectNoSecretIn(answer, alice, bob, carol, dave);
  });

  it.each([
    ['free', [], { lockId: 'a', state: 'free', waiters: 0 }],
    ['free', [freeItem('a')], { lockId: 'a', state: 'free', fencingToken: 100, waiters: 0 }],
    ['provisional', [provisionalItem('a')], { state: 'provisional', expiresInMs: 3_000 }],
    ['over', [heldItem('a', { until: T0 - 60_000 })], { state: 'over', expiresInMs: 0 }],
  ])('answers every state: %s', async (_, items, view) => {
    const { send } = handlersUnderTest({ items });
    expect(await send('inspect')).toMatchObject({ status: 200, body: view });
  });

  it('takes no notice of a body', async () => {
    const { send } = handlersUnderTest();
    expect(await send('inspect', { body: 'nonsense' })).toMatchObject({ status: 200 });
  });
});

describe('list', () => {
  const items = [heldItem('a'), heldItem('b/1'), freeItem('c'), heldItem('d', { until: T0 - 60_000 })];
  // biome-ignore lint/suspicious/noExplicitAny: a body as it comes
  const idsOf = ({ body }: { body: any }) => body.locks.map(({ lockId }: { lockId: string }) => lockId);

  it('answers the held locks unless told otherwise, and no token', async () => {
    const { send } = handlersUnderTest({ items });
    const answer = await send('list');
    expect(answer).toEqual(ok({ locks: [heldView, { ...heldView, lockId: 'b/1' }] }));
    expectNoSecretIn(answer, alice);
  });

  it.each([
    [{ state: 'all' }, ['a', 'b/1', 'c', 'd']],
    [{ state: 'free' }, ['c']],
    [{ state: 'over' }, ['d']],
    [{ prefix: 'b/' }, ['b/1']],
    [{ prefix: 'x' }, []],
  ])('answers those asked for: %j', async (query, ids) => {
    const { send } = handlersUnderTest({ items });
    expect(idsOf(await send('list', { query: query as Record<string, string> }))).toEqual(ids);
  });

  it('goes on from page to page by the cursor', async () => {
    const { send } = handlersUnderTest({ items });
    const first = await send('list', { query: { limit: '2', state: 'all' } });
    expect(first.body).toMatchObject({ cursor: 'b~2F1' });
    const second = await send('list', { query: { limit: '2', state: 'all', cursor: first.body.cursor } });
    expect([...idsOf(first), ...idsOf(second)]).toEqual(['a', 'b/1', 'c', 'd']);
    expect(second.body).not.toHaveProperty('cursor');
  });

  it('answers an empty page with a cursor while there is more', async () => {
    const { send } = handlersUnderTest({ items });
    expect(await send('list', { query: { limit: '1', state: 'free' } })).toEqual(ok({ locks: [], cursor: 'a' }));
  });

  it('gives cursors that it takes, whatever the lock ids', async () => {
    const { send } = handlersUnderTest({ items: hostileLockIds.map((lockId) => heldItem(lockId)) });
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await send('list', { query: { limit: '1', ...(cursor !== undefined && { cursor }) } });
      ids.push(...idsOf(page));
      cursor = page.body.cursor;
    } while (cursor !== undefined);
    expect(ids.sort()).toEqual([...hostileLockIds].sort());
  });
});

describe('break', () => {
  it('answers the lock as it is afterwards, and no token', async () => {
    const { send, items } = handlersUnderTest({ items: [heldItem('a')] });
    const answer = await send('break', { body: { fencingToken: 100, note: 'host-a is gone' } });
    const view = { lockId: 'a', state: 'free', fencingToken: 101, waiters: 0 };
    expect(answer).toEqual(ok({ broken: true, lock: view }));
    expect(items.get('a')).toMatchObject({ broken: alice });
    expectNoSecretIn(answer, alice);
  });

  it('answers the other hold that is there now, and leaves it alone', async () => {
    const { send, items } = handlersUnderTest({ items: [heldItem('a')] });
    const answer = await send('break', { body: { fencingToken: 99 } });
    expect(answer).toEqual(problem('holder-changed', 409, { lock: heldView }));
    expect(items.get('a')).toEqual(heldItem('a'));
    expectNoSecretIn(answer, alice);
  });

  it('answers that nobody holds the lock', async () => {
    const { send } = handlersUnderTest({ items: [freeItem('a')] });
    expect(await send('break', { body: { fencingToken: 100 } })).toEqual(problem('not-held', 409, {}));
  });
});
