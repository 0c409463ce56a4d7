import { StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import {
  alice,
  bob,
  freeItem,
  heldItem,
  provisionalItem,
  renewOf,
  T0,
  withWaiter,
} from '../../../support/lock-items.ts';
import { expectNoSecretIn } from '../../../support/secrets.ts';
import { attemptOf, type ServiceUnderTest, serviceUnderTest } from '../../../support/service-under-test.ts';

const look = { lockId: 'a', fencingToken: 100 };
const brokenView = { lockId: 'a', state: 'free', fencingToken: 101, waiters: 0 };

describe('break', () => {
  it('takes the lock from the holder that was looked at, and says from whom', async () => {
    const { service, items, store } = serviceUnderTest({ items: [heldItem('a')] });
    const outcome = await service.break(look);
    expect(outcome).toEqual({
      kind: 'broken',
      holder: 'host-a',
      principal: 'arn:aws:iam::1:user/alice',
      view: brokenView,
    });
    expect(items.get('a')).toMatchObject({ broken: alice, fence: 101, rev: 8, ttl: T0 / 1_000 + 604_800 });
    expect(store.calls.map(({ operation }) => operation)).toEqual(['read', 'breakHold']);
    expect(store.calls[0]).toMatchObject({ argument: { consistent: true } });
    expectNoSecretIn(outcome, alice);
  });

  it.each([
    ['over', heldItem('a', { until: T0 - 60_000 })],
    ['provisional', provisionalItem('a')],
  ])('takes a hold that is %s', async (_, item) => {
    const { service } = serviceUnderTest({ items: [item] });
    expect(await service.break(look)).toMatchObject({ kind: 'broken', view: brokenView });
  });

  it('lets the broken holder know at its next renewal and release', async () => {
    const { service } = serviceUnderTest({ items: [heldItem('a')] });
    await service.break(look);
    const lost = { kind: 'lease-lost', reason: 'broken' };
    expect(await service.renew(attemptOf(alice))).toEqual(lost);
    expect(await service.release({ lockId: 'a', ownerToken: alice })).toEqual(lost);
    expect(await service.try(attemptOf(alice))).toEqual({ kind: 'token-spent' });
  });

  it('leaves the lock free for the next, with a fencing token above the broken one’s', async () => {
    const { service } = serviceUnderTest({ items: [heldItem('a')] });
    await service.break(look);
    expect(await service.try(attemptOf(bob))).toMatchObject({ kind: 'granted', fencingToken: 102 });
  });

  it('touches no other hold than the one looked at, and shows the one that is there', async () => {
    const item = heldItem('a', { owner: bob, fence: 101 });
    const { service, items } = serviceUnderTest({ items: [item] });
    const outcome = await service.break(look);
    expect(outcome).toMatchObject({ kind: 'holder-changed', view: { state: 'held', fencingToken: 101 } });
    expect(items.get('a')).toEqual(item);
    expectNoSecretIn(outcome, bob);
  });

  it.each([99, 101])('is refused with a fencing token that is off by one (%d)', async (fencingToken) => {
    const { service, items } = serviceUnderTest({ items: [heldItem('a')] });
    expect(await service.break({ lockId: 'a', fencingToken })).toMatchObject({ kind: 'holder-changed' });
    expect(items.get('a')).toEqual(heldItem('a'));
  });

  it('says that nobody holds a free lock', async () => {
    const { service, items } = serviceUnderTest({ items: [freeItem('a')] });
    expect(await service.break(look)).toEqual({ kind: 'not-held' });
    expect(items.get('a')).toEqual(freeItem('a'));
  });

  it('says that nobody holds a lock that nobody ever took, and stores nothing', async () => {
    const { service, items } = serviceUnderTest();
    expect(await service.break(look)).toEqual({ kind: 'not-held' });
    expect(items.size).toBe(0);
  });

  it('is decided again when the same hold was renewed meanwhile', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        async before({ operation, index }) {
          if (operation === 'breakHold' && index === 0) await setup.others.renew(renewOf('a', alice, T0 + 60_000));
        },
      },
    });
    expect(await setup.service.break(look)).toMatchObject({ kind: 'broken', view: brokenView });
  });

  it('is never decided again on a new victim', async () => {
    const next = heldItem('a', { owner: bob, fence: 101, rev: 9 });
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        before({ operation }) {
          if (operation === 'breakHold') setup.items.set('a', next);
        },
      },
    });
    expect(await setup.service.break(look)).toMatchObject({ kind: 'holder-changed', view: { fencingToken: 101 } });
    expect(setup.items.get('a')).toEqual(next);
  });

  it('is never decided again on a new victim, not even one with the same fencing token', async () => {
    // The item was deleted and made anew by a clock that happens to give the same number.
    const next = heldItem('a', { owner: bob, fence: 100, rev: 1 });
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        before({ operation }) {
          if (operation === 'breakHold') setup.items.set('a', next);
        },
      },
    });
    expect(await setup.service.break(look)).toMatchObject({ kind: 'holder-changed' });
    expect(setup.items.get('a')).toEqual(next);
  });

  it('says "not held" when the holder released meanwhile', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        async before({ operation }) {
          if (operation === 'breakHold') await setup.others.release({ lockId: 'a', me: alice, ttl: 1 });
        },
      },
    });
    expect(await setup.service.break(look)).toEqual({ kind: 'not-held' });
    expect(setup.items.get('a')).toMatchObject({ last: alice, fence: 100 });
  });

  it('finds its own break when the reply of an earlier attempt was lost, and does not break twice', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        async before({ operation, argument }) {
          if (operation === 'breakHold') await setup.others.breakHold(argument as never);
        },
      },
    });
    expect(await setup.service.break(look)).toMatchObject({ kind: 'broken', holder: 'host-a', view: brokenView });
    expect(setup.items.get('a')).toMatchObject({ fence: 101, rev: 8 });
  });

  it('finds its own break also when the next holder is in already, and leaves that one alone', async () => {
    const next = heldItem('a', { owner: bob, fence: 102, rev: 9, broken: alice });
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        before({ operation }) {
          if (operation === 'breakHold') setup.items.set('a', next);
        },
      },
    });
    const outcome = await setup.service.break(look);
    expect(outcome).toMatchObject({ kind: 'broken', holder: 'host-a', view: { state: 'held', fencingToken: 102 } });
    expect(setup.items.get('a')).toEqual(next);
  });

  it('never empties a line, and does not try for ever', async () => {
    const item = withWaiter(heldItem('a'));
    const { service, items, store } = serviceUnderTest({ items: [item] });
    await expect(service.break(look)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(items.get('a')).toEqual(item);
    expect(store.calls.length).toBeLessThan(10);
  });
});
