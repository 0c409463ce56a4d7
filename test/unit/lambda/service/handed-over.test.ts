import { alice, bob, carol, heldItem, margin, provisionalItem, T0, tokenOf } from '../../../support/lock-items.ts';
import {
  acquireOf,
  attemptOf,
  momentsOf,
  operationsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

/** Alice holds, bob waits, alice hands over 2,010 ms later. */
async function handedToBob(setup: ServiceUnderTest, confirm: boolean) {
  const handedOver = setup.time.at(T0 + 2_010, () => setup.service.release({ lockId: 'a', ownerToken: alice }));
  const [outcome] = await setup.time.run(Promise.all([setup.service.acquire(acquireOf(bob, { confirm })), handedOver]));
  return outcome;
}

describe('a lock that is handed to a waiter', () => {
  it('is seen at its next look, and given provisionally to a caller that confirms', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    expect(await handedToBob(setup, true)).toEqual({
      kind: 'granted',
      lockId: 'a',
      ownerToken: bob,
      fencingToken: 101,
      leaseMs: 3_000,
      until: T0 + 5_010,
      now: T0 + 2_050,
      provisional: true,
      waiters: 0,
      waitedMs: 2_050,
    });
    expect(momentsOf(setup, 'renew')).toEqual([]);
    const item = setup.items.get('a');
    expect(item).toMatchObject({ owner: bob, until: T0 + 5_010, fence: 101, last: alice, queue: [], tickets: {} });
    expect(item).not.toHaveProperty('principal');
    expect(item).not.toHaveProperty('holder');
  });

  it('is whole from its caller’s renewal on', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    await handedToBob(setup, true);
    expect(await setup.service.renew(attemptOf(bob))).toMatchObject({
      kind: 'granted',
      provisional: false,
      fencingToken: 101,
      leaseMs: 30_000,
      until: T0 + 32_050,
    });
    expect(setup.items.get('a')).toMatchObject({ principal: 'arn:aws:iam::1:user/bob', holder: 'host-b' });
  });

  it('is confirmed by the service for a caller that does not', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    expect(await handedToBob(setup, false)).toMatchObject({
      kind: 'granted',
      provisional: false,
      fencingToken: 101,
      leaseMs: 30_000,
      now: T0 + 2_050,
      until: T0 + 32_050,
    });
    expect(operationsOf(setup).slice(-2)).toEqual(['read', 'renew']);
    expect(setup.items.get('a')).toMatchObject({ owner: bob, principal: 'arn:aws:iam::1:user/bob' });
  });

  it('costs the others one claim window and the margin when its caller has vanished', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    await handedToBob(setup, true);
    const next = await setup.time.run(setup.service.acquire(acquireOf(carol)));
    expect(next).toMatchObject({ kind: 'granted', ownerToken: carol, now: T0 + 5_010 + margin, fencingToken: 102 });
  });

  it('is confirmed although the claim window has passed, while nobody else took it', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    await handedToBob(setup, true);
    await setup.time.advance(60_000);
    expect(await setup.service.renew(attemptOf(bob))).toMatchObject({ kind: 'granted', fencingToken: 101 });
  });

  it('is lost to whoever confirms after another took it', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    await handedToBob(setup, true);
    await setup.time.run(setup.service.acquire(acquireOf(carol)));
    const carols = setup.items.get('a');
    expect(await setup.service.renew(attemptOf(bob))).toEqual({ kind: 'lease-lost', reason: 'superseded' });
    expect(setup.items.get('a')).toEqual(carols);
  });

  it('is not granted by the service that confirms too late: the place is gone, the taker untouched', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        before({ operation }) {
          if (operation === 'renew') setup.items.set('a', heldItem('a', { owner: carol, fence: 102, rev: 20 }));
        },
      },
    });
    expect(await handedToBob(setup, false)).toEqual({ kind: 'place-lost', waitedMs: 2_050 });
    expect(setup.items.get('a')).toEqual(heldItem('a', { owner: carol, fence: 102, rev: 20 }));
  });

  it('stops a waiter whose provisional grant was broken: its token is spent', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a')],
      interposition: {
        async before({ operation }) {
          if (operation === 'renew') await setup.service.break({ lockId: 'a', fencingToken: 101 });
        },
      },
    });
    expect(await handedToBob(setup, false)).toEqual({ kind: 'token-spent', waitedMs: 2_050 });
    expect(setup.items.get('a')).toMatchObject({ broken: bob, fence: 102 });
    expect(setup.items.get('a')).not.toHaveProperty('owner');
  });

  it('stops a waiter whose provisional grant was broken before it looked', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const broken = setup.time.at(T0 + 2_010, async () => {
      await setup.service.release({ lockId: 'a', ownerToken: alice });
      await setup.service.break({ lockId: 'a', fencingToken: 101 });
    });
    const waiting = setup.service.acquire(acquireOf(bob, { confirm: true }));
    expect(await setup.time.run(waiting)).toEqual({ kind: 'token-spent', waitedMs: 2_050 });
    await broken;
  });

  it('stops a waiter whose token was released, by itself or by another request, before it looked', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const released = setup.time.at(T0 + 2_010, async () => {
      await setup.service.release({ lockId: 'a', ownerToken: alice });
      await setup.service.release({ lockId: 'a', ownerToken: bob });
    });
    const waiting = setup.service.acquire(acquireOf(bob, { confirm: true }));
    expect(await setup.time.run(waiting)).toEqual({ kind: 'token-spent', waitedMs: 2_050 });
    await released;
  });

  it('is left to its caller to confirm when an earlier request of the same token got it', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const mine = setup.time.at(T0 + 1_010, () =>
      setup.items.set('a', provisionalItem('a', { owner: bob, fence: 101, until: T0 + 4_000 })),
    );
    const waiting = setup.service.acquire(acquireOf(bob, { confirm: true }));
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'granted', provisional: true, fencingToken: 101 });
    await mine;
    expect(setup.items.get('a')).not.toHaveProperty('principal');
  });

  it('goes to one waiter at a time, in the order in which they came', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')], random: Math.random });
    const { service, time } = setup;
    let inside = 0;
    const came: string[] = [];
    const all = ['w1', 'w2', 'w3', 'w4', 'w5'].map(async (name) => {
      const ownerToken = tokenOf(name);
      const outcome = await service.acquire(acquireOf(ownerToken));
      if (outcome.kind !== 'granted') throw new Error(outcome.kind);
      expect(++inside).toBe(1);
      came.push(`${name} ${outcome.fencingToken}`);
      await time.sleep(100);
      inside--;
      await service.release({ lockId: 'a', ownerToken });
    });
    const released = time.at(T0 + 500, () => service.release({ lockId: 'a', ownerToken: alice }));
    await time.run(Promise.all([...all, released]));
    expect(came).toEqual(['w1 101', 'w2 102', 'w3 103', 'w4 104', 'w5 105']);
  });
});
