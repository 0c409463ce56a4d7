import { hostileLockIds } from '../../../support/hostile-lock-ids.ts';
import {
  alice,
  carol,
  freeItem,
  heldItem,
  margin,
  provisionalItem,
  T0,
  withWaiter,
} from '../../../support/lock-items.ts';
import { expectNoSecretIn } from '../../../support/secrets.ts';
import { serviceUnderTest } from '../../../support/service-under-test.ts';

describe('inspect', () => {
  const heldView = {
    lockId: 'a',
    state: 'held',
    fencingToken: 100,
    holder: 'host-a',
    principal: 'arn:aws:iam::1:user/alice',
    since: T0,
    until: T0 + 30_000,
    expiresInMs: 30_000,
    waiters: 0,
  };

  it('looks at the lock by one strongly consistent read', async () => {
    const { service, store } = serviceUnderTest({ items: [heldItem('a')] });
    expect(await service.inspect('a')).toEqual({ kind: 'inspected', view: heldView });
    expect(store.calls).toMatchObject([{ operation: 'read', argument: { lockId: 'a', consistent: true } }]);
  });

  it.each(hostileLockIds)('says of a lock that nobody ever took that it is free: %j', async (lockId) => {
    const { service, items } = serviceUnderTest();
    expect(await service.inspect(lockId)).toEqual({ kind: 'inspected', view: { lockId, state: 'free', waiters: 0 } });
    expect(items.size).toBe(0);
  });

  it('shows a free lock with its last fencing token', async () => {
    const { service } = serviceUnderTest({ items: [freeItem('a')] });
    const view = { lockId: 'a', state: 'free', fencingToken: 100, waiters: 0 };
    expect(await service.inspect('a')).toEqual({ kind: 'inspected', view });
  });

  it('shows a provisional hold without a name', async () => {
    const { service } = serviceUnderTest({ items: [provisionalItem('a')] });
    const { holder: _holder, principal: _principal, ...nameless } = heldView;
    const view = { ...nameless, state: 'provisional', until: T0 + 3_000, expiresInMs: 3_000 };
    expect(await service.inspect('a')).toEqual({ kind: 'inspected', view });
  });

  it.each([
    ['held', T0 - margin + 1],
    ['over', T0 - margin],
  ])('shows a lease as %s by the clock margin, with no time left', async (state, until) => {
    const { service } = serviceUnderTest({ items: [heldItem('a', { until })] });
    expect(await service.inspect('a')).toEqual({
      kind: 'inspected',
      view: { ...heldView, state, until, expiresInMs: 0 },
    });
  });

  it('shows a provisional hold that nobody confirmed as over', async () => {
    const { service } = serviceUnderTest({ items: [provisionalItem('a', { until: T0 - margin })] });
    expect(await service.inspect('a')).toMatchObject({ view: { state: 'over' } });
  });

  it('counts the waiters', async () => {
    const { service } = serviceUnderTest({ items: [withWaiter(heldItem('a'))] });
    expect(await service.inspect('a')).toEqual({ kind: 'inspected', view: { ...heldView, waiters: 1 } });
  });

  it('shows no owner token', async () => {
    const item = withWaiter(heldItem('a', { last: 'last-token-xxxxxxxxxxx', broken: 'broken-token-xxxxxxxxx' }));
    const { service } = serviceUnderTest({ items: [item] });
    const inspected = await service.inspect('a');
    expectNoSecretIn(inspected, alice, carol, 'last-token-xxxxxxxxxxx', 'broken-token-xxxxxxxxx');
  });
});

describe('list', () => {
  const query = { prefix: '', state: 'held', limit: 100 } as const;

  it('shows the locks as inspect does, without a token', async () => {
    const items = [withWaiter(heldItem('a')), heldItem('b'), freeItem('c')];
    const { service } = serviceUnderTest({ items });
    const listed = await service.list({ ...query, state: 'all' });
    const inspected = await Promise.all(items.map(async ({ lockId }) => (await service.inspect(lockId)).view));
    expect(listed).toEqual({ kind: 'listed', views: inspected });
    expectNoSecretIn(listed, alice, carol);
  });

  it('asks the store for the states as they are by its own clock and margin', async () => {
    const { service, store } = serviceUnderTest();
    await service.list({ prefix: 'orders-', state: 'over', limit: 7, after: 'orders-3' });
    expect(store.calls).toEqual([
      {
        operation: 'list',
        index: 0,
        argument: { prefix: 'orders-', state: 'over', limit: 7, after: 'orders-3', cut: T0 - margin },
      },
    ]);
  });

  it('says behind which lock the next page begins, and nothing at the end', async () => {
    const { service } = serviceUnderTest({ items: [heldItem('a'), heldItem('b'), heldItem('c')] });
    const first = await service.list({ ...query, limit: 2 });
    expect(first).toMatchObject({ next: 'b', views: [{ lockId: 'a' }, { lockId: 'b' }] });
    const last = await service.list({ ...query, limit: 2, after: first.next });
    expect(last.views.map(({ lockId }) => lockId)).toEqual(['c']);
    expect(last).not.toHaveProperty('next');
  });
});
