import { StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import { alice, bob, freeItem, heldItem, provisionalItem, T0, withWaiter } from '../../../support/lock-items.ts';
import { attemptOf, type ServiceUnderTest, serviceUnderTest } from '../../../support/service-under-test.ts';

describe('renew', () => {
  it('extends the lease from now on, with the same fencing token, by one write', async () => {
    const { service, time, store, items } = serviceUnderTest({ items: [heldItem('a')] });
    await time.advance(10_000);
    expect(await service.renew(attemptOf(alice))).toEqual({
      kind: 'granted',
      lockId: 'a',
      ownerToken: alice,
      fencingToken: 100,
      leaseMs: 30_000,
      until: T0 + 40_000,
      now: T0 + 10_000,
      provisional: false,
      waiters: 0,
    });
    expect(items.get('a')).toMatchObject({ until: T0 + 40_000, since: T0, ttl: T0 / 1_000 + 40 + 604_800 });
    expect(store.calls.map(({ operation }) => operation)).toEqual(['renew']);
  });

  it('confirms a provisional grant, also to an earlier end', async () => {
    const { service, items } = serviceUnderTest({ items: [provisionalItem('a')] });
    expect(await service.renew(attemptOf(alice, { leaseMs: 1_000 }))).toMatchObject({
      kind: 'granted',
      provisional: false,
      leaseMs: 1_000,
      until: T0 + 1_000,
    });
    expect(items.get('a')).toMatchObject({ until: T0 + 1_000, principal: 'arn:aws:iam::1:user/bob' });
  });

  it('keeps a lease that is over while nobody else took it', async () => {
    const { service } = serviceUnderTest({ items: [heldItem('a', { until: T0 - 3_600_000 })] });
    expect(await service.renew(attemptOf(alice))).toMatchObject({
      kind: 'granted',
      until: T0 + 30_000,
      fencingToken: 100,
    });
  });

  it('that comes late finds the lease longer than it asked for, and shortens nothing', async () => {
    const { service, items, store } = serviceUnderTest({ items: [heldItem('a', { until: T0 + 60_000 })] });
    expect(await service.renew(attemptOf(alice))).toMatchObject({
      kind: 'granted',
      leaseMs: 30_000,
      until: T0 + 60_000,
      provisional: false,
    });
    expect(items.get('a')).toEqual(heldItem('a', { until: T0 + 60_000 }));
    expect(store.calls).toHaveLength(1);
  });

  it('repeated within the same millisecond is granted again', async () => {
    const { service, items } = serviceUnderTest({ items: [heldItem('a', { until: T0 + 5_000 })] });
    const first = await service.renew(attemptOf(alice));
    const after = items.get('a');
    expect(await service.renew(attemptOf(alice))).toEqual(first);
    expect(items.get('a')).toEqual(after);
  });

  it('shows how many wait', async () => {
    const { service } = serviceUnderTest({ items: [withWaiter(heldItem('a', { until: T0 + 5_000 }))] });
    expect(await service.renew(attemptOf(alice))).toMatchObject({ kind: 'granted', waiters: 1 });
  });

  it.each([
    ['another holds it', heldItem('a'), 'superseded'],
    ['another holds it provisionally', provisionalItem('a'), 'superseded'],
    ['it was released', freeItem('a', { last: bob }), 'superseded'],
    ['nobody holds it', freeItem('a'), 'superseded'],
    ['it was broken', freeItem('a', { broken: bob }), 'broken'],
    ['it was broken, and another holds it', heldItem('a', { broken: bob }), 'broken'],
  ] as const)('tells that the lease is lost, and touches nothing: %s', async (_, item, reason) => {
    const { service, items } = serviceUnderTest({ items: [item] });
    expect(await service.renew(attemptOf(bob))).toEqual({ kind: 'lease-lost', reason });
    expect(items.get('a')).toEqual(item);
  });

  it('tells that the lease is lost where nothing is stored, and stores nothing', async () => {
    const { service, items } = serviceUnderTest();
    expect(await service.renew(attemptOf(bob))).toEqual({ kind: 'lease-lost', reason: 'absent' });
    expect(items.size).toBe(0);
  });

  // The lock becomes the caller's between the refusal and the look at the item that replaces it.
  it('tries again when the refusal shows a hold of its own that it did not extend', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({ items: [heldItem('a', { owner: bob })] });
    const renew = setup.store.renew;
    let refusals = 0;
    setup.store.renew = async (argument) => {
      if (refusals++ === 0) return { written: false, item: setup.items.get('a') };
      return renew(argument);
    };
    await setup.time.advance(1_000);
    expect(await setup.service.renew(attemptOf(bob))).toMatchObject({ kind: 'granted', until: T0 + 31_000 });
    expect(refusals).toBe(2);
  });

  it('is of unknown outcome, not of endless attempts, when that happens every time', async () => {
    const setup = serviceUnderTest({ items: [provisionalItem('a', { owner: bob })] });
    let attempts = 0;
    setup.store.renew = async () => {
      attempts++;
      return { written: false, item: setup.items.get('a') };
    };
    await expect(setup.service.renew(attemptOf(bob))).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(attempts).toBeLessThan(10);
  });

  it('passes on that the store gave no answer', async () => {
    const lost = new StoreUnavailableError('lost');
    const { service } = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        after() {
          throw lost;
        },
      },
    });
    await expect(service.renew(attemptOf(alice))).rejects.toBe(lost);
  });
});
