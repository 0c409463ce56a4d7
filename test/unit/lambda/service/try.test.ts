import { StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import type { StoreCall } from '../../../support/interposed-store.ts';
import {
  alice,
  bob,
  carol,
  dave,
  freeItem,
  heldItem,
  lineOf,
  margin,
  provisionalItem,
  T0,
  withLine,
  withWaiter,
} from '../../../support/lock-items.ts';
import {
  attemptOf,
  operationsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

describe('try', () => {
  const grantedToBob = {
    kind: 'granted',
    lockId: 'a',
    ownerToken: bob,
    fencingToken: T0 + 1,
    leaseMs: 30_000,
    until: T0 + 30_000,
    now: T0,
    provisional: false,
    waiters: 0,
  };

  it('grants a lock that nobody ever took, by one write', async () => {
    const { service, store } = serviceUnderTest();
    expect(await service.try(attemptOf(bob))).toEqual(grantedToBob);
    expect(store.calls.map(({ operation }) => operation)).toEqual(['claim']);
  });

  it('tells the store the cut, the lease and the time to live', async () => {
    const { service, store } = serviceUnderTest();
    await service.try(attemptOf(bob));
    expect(store.calls[0]?.argument).toEqual({
      lockId: 'a',
      me: bob,
      now: T0,
      cut: T0 - margin,
      until: T0 + 30_000,
      identity: { holder: 'host-b', principal: 'arn:aws:iam::1:user/bob' },
      ttl: T0 / 1_000 + 30 + 604_800,
    });
  });

  it('grants a free lock with the next fencing token', async () => {
    const { service } = serviceUnderTest({ items: [freeItem('a')] });
    expect(await service.try(attemptOf(bob))).toEqual({ ...grantedToBob, fencingToken: 101 });
  });

  it('says who holds the lock, and for how long, by one refused write', async () => {
    const { service, store } = serviceUnderTest({ items: [heldItem('a')] });
    expect(await service.try(attemptOf(bob))).toEqual({
      kind: 'held',
      holder: 'host-a',
      principal: 'arn:aws:iam::1:user/alice',
      expiresInMs: 30_000,
      waiters: 0,
      retryAfterMs: 250,
    });
    expect(store.calls.map(({ operation }) => operation)).toEqual(['claim']);
  });

  it('says nothing of who holds provisionally', async () => {
    const { service } = serviceUnderTest({ items: [provisionalItem('a')] });
    expect(await service.try(attemptOf(bob))).toEqual({
      kind: 'held',
      expiresInMs: 3_000,
      waiters: 0,
      retryAfterMs: 250,
    });
  });

  it('says that a lease within the margin has no time left, never a negative one', async () => {
    const { service } = serviceUnderTest({ items: [heldItem('a', { until: T0 - margin + 1 })] });
    expect(await service.try(attemptOf(bob))).toMatchObject({ kind: 'held', expiresInMs: 0 });
  });

  it('takes a lease that ended one clock margin ago', async () => {
    const { service } = serviceUnderTest({ items: [heldItem('a', { until: T0 - margin })] });
    expect(await service.try(attemptOf(bob))).toMatchObject({ kind: 'granted', fencingToken: 101 });
  });

  it.each([
    ['free', freeItem('a')],
    ['over', heldItem('a', { until: T0 - 60_000 })],
  ])('does not overtake a waiter: the lock is %s', async (_, item) => {
    const { service, store } = serviceUnderTest({ items: [withWaiter(item)] });
    expect(await service.try(attemptOf(bob))).toMatchObject({ kind: 'held', waiters: 1, expiresInMs: 0 });
    expect(store.calls).toHaveLength(1);
  });

  it.each(['last', 'broken'] as const)('tells a token that has had its lease to stop (%s)', async (name) => {
    const { service, store } = serviceUnderTest({ items: [freeItem('a', { [name]: bob })] });
    expect(await service.try(attemptOf(bob))).toEqual({ kind: 'token-spent' });
    expect(store.calls).toHaveLength(1);
  });

  it('finds its own grant when it is repeated, and counts the lease from the repeat', async () => {
    const { service, time, items } = serviceUnderTest();
    await service.try(attemptOf(bob));
    await time.advance(1_000);
    const again = await service.try(attemptOf(bob));
    expect(again).toEqual({ ...grantedToBob, now: T0 + 1_000, until: T0 + 31_000 });
    expect(items.get('a')).toMatchObject({ owner: bob, fence: T0 + 1, until: T0 + 31_000 });
  });

  it('finds its own grant when it is repeated with a shorter lease, which it does not shorten', async () => {
    const { service, items } = serviceUnderTest();
    await service.try(attemptOf(bob));
    const again = await service.try(attemptOf(bob, { leaseMs: 5_000 }));
    expect(again).toMatchObject({ kind: 'granted', leaseMs: 5_000, until: T0 + 30_000 });
    expect(items.get('a')).toMatchObject({ until: T0 + 30_000 });
  });

  it('confirms its own provisional grant when it is repeated', async () => {
    const { service, items } = serviceUnderTest({ items: [provisionalItem('a', { owner: bob })] });
    expect(await service.try(attemptOf(bob))).toMatchObject({
      kind: 'granted',
      provisional: false,
      until: T0 + 30_000,
    });
    expect(items.get('a')).toMatchObject({ owner: bob, principal: 'arn:aws:iam::1:user/bob' });
  });

  it('never takes the owner in an item for a grant: an attempt that was broken meanwhile is spent', async () => {
    const setup = serviceUnderTest({
      items: [heldItem('a', { owner: bob })],
      interposition: {
        async before({ operation }) {
          if (operation === 'renew')
            await setup.others.breakHold({ lockId: 'a', victim: bob, rev: 7, fence: 100, ttl: 1 });
        },
      },
    });
    expect(await setup.service.try(attemptOf(bob))).toEqual({ kind: 'token-spent' });
  });

  it('never takes the owner in an item for a grant: another took it meanwhile', async () => {
    const setup = serviceUnderTest({
      items: [heldItem('a', { owner: bob })],
      interposition: {
        before({ operation }) {
          if (operation === 'renew') setup.items.set('a', heldItem('a', { owner: carol, fence: 101, rev: 9 }));
        },
      },
    });
    expect(await setup.service.try(attemptOf(bob))).toMatchObject({ kind: 'held' });
    expect(setup.items.get('a')).toMatchObject({ owner: carol });
  });

  // A claim with a clock that runs behind is refused; by the time its answer is read, the lease is over.
  const overWhenRead = (rounds: number) => (setup: () => ReturnType<typeof serviceUnderTest>) => ({
    async before({ operation, index }: StoreCall) {
      if (operation === 'claim' && index < rounds) setup().items.set('a', heldItem('a', { until: setup().time.now() }));
    },
    async after({ operation, index }: StoreCall) {
      if (operation === 'claim' && index < rounds) await setup().time.advance(margin);
    },
  });

  it('claims once more when the lease was over after all', async () => {
    const setup: ReturnType<typeof serviceUnderTest> = serviceUnderTest({
      interposition: overWhenRead(1)(() => setup),
    });
    expect(await setup.service.try(attemptOf(bob))).toMatchObject({ kind: 'granted', fencingToken: 101 });
    expect(setup.store.calls.map(({ operation }) => operation)).toEqual(['claim', 'claim']);
  });

  it('gives up with "held" when every claim loses to somebody', async () => {
    const setup: ReturnType<typeof serviceUnderTest> = serviceUnderTest({
      interposition: overWhenRead(99)(() => setup),
    });
    expect(await setup.service.try(attemptOf(bob))).toMatchObject({ kind: 'held' });
    expect(setup.store.calls.length).toBeLessThan(10);
  });

  it('treats a lock that vanished between two looks as free', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    let vanished = true;
    const claim = setup.store.claim;
    setup.store.claim = async (argument) => {
      const result = await claim(argument);
      if (!vanished) return result;
      vanished = false;
      setup.items.delete('a');
      return { written: false, item: undefined };
    };
    expect(await setup.service.try(attemptOf(bob))).toMatchObject({ kind: 'granted', fencingToken: T0 + 1 });
  });

  it('is of unknown outcome when the lock vanishes at every look', async () => {
    const setup = serviceUnderTest();
    setup.store.claim = async () => ({ written: false, item: undefined });
    await expect(setup.service.try(attemptOf(bob))).rejects.toBeInstanceOf(StoreUnavailableError);
  });

  it('takes a lock that is over past a line in which every ticket has ended', async () => {
    const over = heldItem('a', { until: T0 - margin });
    const setup = serviceUnderTest({ items: [withLine(over, { [carol]: T0 - margin, [dave]: T0 - 60_000 })] });
    expect(await setup.service.try(attemptOf(bob))).toEqual({ ...grantedToBob, fencingToken: 101 });
    expect(operationsOf(setup)).toEqual(['claim', 'claimPast']);
    expect(setup.items.get('a')).toMatchObject({ owner: bob, queue: [], tickets: {} });
  });

  it.each([
    ['first', { [carol]: T0 - margin + 1, [dave]: T0 - 60_000 }],
    ['last', { [carol]: T0 - 60_000, [dave]: T0 - margin + 1 }],
  ])('overtakes nobody whose ticket is valid, by the margin: the %s in line', async (_, line) => {
    const item = withLine(heldItem('a', { until: T0 - 60_000 }), line);
    const { service, items, time } = serviceUnderTest({ items: [item] });
    expect(await service.try(attemptOf(bob))).toMatchObject({ kind: 'held', waiters: 2, expiresInMs: 0 });
    expect(items.get('a')).toEqual(item);
    expect(time.now()).toBe(T0);
  });

  it('overtakes nobody who joined, or came back, just before it passes a dead line', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [withLine(heldItem('a', { until: T0 - margin }), { [carol]: T0 - margin })],
      interposition: {
        async before({ operation }) {
          if (operation !== 'claimPast') return;
          await setup.others.join({ lockId: 'a', me: dave, ticketEnd: T0 + 5_000, lineLimit: 64 });
        },
      },
    });
    expect(await setup.service.try(attemptOf(bob))).toMatchObject({ kind: 'held', waiters: 2 });
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [carol, dave] });
    expect(operationsOf(setup)).toEqual(['claim', 'claimPast']);
  });

  it.each([
    ['held', heldItem('a')],
    ['over', heldItem('a', { until: T0 - 60_000 })],
  ])('by a token that stands in line leaves its place alone: the lock is %s', async (_, hold) => {
    const item = withLine(hold, { [bob]: T0 + 1_000, [carol]: T0 + 5_000 });
    const { service, items, store } = serviceUnderTest({ items: [item] });
    expect(await service.try(attemptOf(bob))).toMatchObject({ kind: 'held', waiters: 2 });
    expect(items.get('a')).toEqual(item);
    expect(store.calls).toHaveLength(1);
  });

  it('never joins the line, never waits and never looks', async () => {
    for (const item of [heldItem('a'), withLine(heldItem('a'), lineOf(3)), withLine(heldItem('a'), lineOf(64))]) {
      const setup = serviceUnderTest({ items: [item] });
      expect(await setup.service.try(attemptOf(bob))).toMatchObject({ kind: 'held' });
      expect(operationsOf(setup)).toEqual(['claim']);
      expect(setup.items.get('a')).toEqual(item);
    }
  });

  it('passes on that the store gave no answer', async () => {
    const lost = new StoreUnavailableError('lost');
    const { service } = serviceUnderTest({
      interposition: {
        after() {
          throw lost;
        },
      },
    });
    await expect(service.try(attemptOf(bob))).rejects.toBe(lost);
  });

  it('keeps locks apart', async () => {
    const { service } = serviceUnderTest();
    expect(await service.try(attemptOf(alice, { lockId: 'a/1' }))).toMatchObject({ kind: 'granted', lockId: 'a/1' });
    expect(await service.try(attemptOf(bob))).toMatchObject({ kind: 'granted', lockId: 'a' });
  });
});
