import type { LockItem } from '../../../../lambda/service/lock-item.ts';
import { StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import {
  alice,
  bob,
  carol,
  dave,
  freeItem,
  heldItem,
  margin,
  provisionalItem,
  renewOf,
  T0,
  withLine,
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

  const renewsBefore = (item: LockItem) => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [item],
      interposition: {
        async before({ operation, index }) {
          if (operation === 'breakHold') await setup.others.renew(renewOf('a', alice, T0 + 60_000 + index));
        },
      },
    });
    return setup;
  };

  it('takes the lock from a holder that renews without end', async () => {
    const setup = renewsBefore(heldItem('a'));
    expect(await setup.service.break(look)).toMatchObject({ kind: 'broken', view: { state: 'free' } });
    expect(setup.store.calls.map(({ operation }) => operation)).toEqual(['read', 'breakHold']);
  });

  it('does not try for ever while the line changes', async () => {
    const setup = renewsBefore(withLine(heldItem('a'), { [dave]: T0 + 60_000 }));
    await expect(setup.service.break(look)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, fence: 100 });
    expect(setup.store.calls.length).toBeLessThan(10);
  });

  describe('with a line', () => {
    it('hands the lock to the first waiter whose ticket is valid, provisionally, with the fence grown by one', async () => {
      const line = { [carol]: T0 - margin, [bob]: T0 - margin + 1, [dave]: T0 + 5_000 };
      const { service, items } = serviceUnderTest({ items: [withLine(heldItem('a', { last: 'x' }), line)] });
      const outcome = await service.break(look);
      expect(outcome).toMatchObject({
        kind: 'broken',
        holder: 'host-a',
        view: { state: 'provisional', fencingToken: 101, until: T0 + 3_000, waiters: 1 },
      });
      expectNoSecretIn(outcome, alice, bob, carol, dave);
      expect(items.get('a')).toEqual({
        lockId: 'a',
        owner: bob,
        until: T0 + 3_000,
        since: T0,
        fence: 101,
        last: 'x',
        broken: alice,
        queue: [dave],
        tickets: { [dave]: T0 + 5_000 },
        rev: 8,
        ttl: T0 / 1_000 + 3 + 604_800,
      });
      expect(await service.renew(attemptOf(bob))).toMatchObject({ kind: 'granted', fencingToken: 101 });
    });

    it('frees the lock and empties the line when every ticket has ended, with the fence grown by one', async () => {
      const line = { [carol]: T0 - margin, [bob]: T0 - 60_000 };
      const { service, items } = serviceUnderTest({ items: [withLine(heldItem('a'), line)] });
      expect(await service.break(look)).toMatchObject({ kind: 'broken', view: brokenView });
      expect(items.get('a')).toMatchObject({ broken: alice, fence: 101, queue: [], tickets: {} });
      expect(items.get('a')).not.toHaveProperty('owner');
    });

    it('is decided again when somebody joined or left meanwhile, and grows the fence once', async () => {
      const setup: ServiceUnderTest = serviceUnderTest({
        items: [withLine(heldItem('a'), { [carol]: T0 + 5_000, [bob]: T0 + 5_000 })],
        interposition: {
          async before({ operation, index }) {
            if (operation === 'breakHold' && index === 0)
              await setup.others.leave({ lockId: 'a', me: carol, place: 0 });
          },
        },
      });
      expect(await setup.service.break(look)).toMatchObject({ kind: 'broken' });
      expect(setup.items.get('a')).toMatchObject({ owner: bob, fence: 101, queue: [] });
    });

    it('grows the fence once when an earlier attempt got through: the waiter that has it keeps it', async () => {
      const setup: ServiceUnderTest = serviceUnderTest({
        items: [withLine(heldItem('a'), { [carol]: T0 + 5_000, [bob]: T0 + 5_000 })],
        interposition: {
          async before({ operation, argument }) {
            if (operation === 'breakHold') await setup.others.breakHold(argument as never);
          },
        },
      });
      expect(await setup.service.break(look)).toMatchObject({ kind: 'broken', holder: 'host-a' });
      expect(setup.items.get('a')).toMatchObject({ owner: carol, fence: 101, queue: [bob] });
    });

    it('repeated for the fencing token that was broken leaves the waiter that has the lock alone', async () => {
      const { service, items } = serviceUnderTest({ items: [withLine(heldItem('a'), { [carol]: T0 + 5_000 })] });
      await service.break(look);
      const carols = items.get('a');
      expect(await service.break(look)).toMatchObject({ kind: 'holder-changed', view: { fencingToken: 101 } });
      expect(items.get('a')).toEqual(carols);
    });
  });
});
