import { StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
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
} from '../../../support/lock-items.ts';
import {
  acquireOf,
  operationsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

describe('acquire, as long as it need not wait', () => {
  it('grants a free lock by one write, without a look', async () => {
    const setup = serviceUnderTest({ items: [freeItem('a')] });
    expect(await setup.service.acquire(acquireOf(bob))).toMatchObject({
      kind: 'granted',
      fencingToken: 101,
      now: T0,
      until: T0 + 30_000,
    });
    expect(operationsOf(setup)).toEqual(['claim']);
  });

  it('gives the whole lease although the caller would confirm: it did not wait', async () => {
    const { service, items } = serviceUnderTest();
    expect(await service.acquire(acquireOf(bob, { confirm: true }))).toMatchObject({
      kind: 'granted',
      provisional: false,
      leaseMs: 30_000,
      until: T0 + 30_000,
    });
    expect(items.get('a')).toMatchObject({ principal: 'arn:aws:iam::1:user/bob' });
  });

  it('with waitMs 0 is one attempt, which joins no line', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    expect(await setup.service.acquire(acquireOf(bob, { waitMs: 0 }))).toMatchObject({
      kind: 'held',
      holder: 'host-a',
      expiresInMs: 30_000,
      waiters: 0,
    });
    expect(operationsOf(setup)).toEqual(['claim']);
    expect(setup.items.get('a')).toEqual(heldItem('a'));
  });

  it('with waitMs 0 and keepPlace takes a place and answers it at once', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    const outcome = await setup.service.acquire(acquireOf(bob, { waitMs: 0, keepPlace: true }));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: 1, resumeWithinMs: 5_000 });
    expect(operationsOf(setup)).toEqual(['claim', 'join']);
    expect(setup.time.now()).toBe(T0);
  });

  it.each(['last', 'broken'] as const)('tells a token that has had its lease to stop (%s)', async (name) => {
    const setup = serviceUnderTest({ items: [heldItem('a', { [name]: bob })] });
    expect(await setup.service.acquire(acquireOf(bob))).toEqual({ kind: 'token-spent' });
    expect(operationsOf(setup)).toEqual(['claim']);
  });

  it('finds what an earlier request with the same token got, and confirms it whole', async () => {
    const { service, items } = serviceUnderTest({ items: [provisionalItem('a', { owner: bob })] });
    expect(await service.acquire(acquireOf(bob, { confirm: true }))).toMatchObject({
      kind: 'granted',
      provisional: false,
      until: T0 + 30_000,
    });
    expect(items.get('a')).toMatchObject({ principal: 'arn:aws:iam::1:user/bob' });
  });

  const deadLine = { [carol]: T0 - margin, [dave]: T0 - 60_000 };
  const wasOver = { until: T0 - margin };

  it('takes a lock that is over past a line in which every ticket has ended, and empties the line', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', wasOver), deadLine)] });
    expect(await setup.service.acquire(acquireOf(bob, { confirm: true }))).toMatchObject({
      kind: 'granted',
      provisional: false,
      fencingToken: 101,
      until: T0 + 30_000,
    });
    expect(operationsOf(setup)).toEqual(['claim', 'claimPast']);
    expect(setup.items.get('a')).toMatchObject({ owner: bob, queue: [], tickets: {} });
  });

  it.each([
    ['one ticket is still within the margin', wasOver, { [carol]: T0 - 60_000, [dave]: T0 - margin + 1 }],
    ['the lease is still within the margin', { until: T0 - margin + 1 }, deadLine],
  ])('joins the line where %s', async (_, hold, line) => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', hold), line)] });
    const waiting = setup.service.acquire(acquireOf(bob));
    await setup.time.advance(0);
    expect(operationsOf(setup)).toEqual(['claim', 'join']);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [carol, dave, bob] });
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'granted' });
  });

  it('takes no lock past a line that somebody joined or revived meanwhile', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [withLine(heldItem('a', wasOver), deadLine)],
      interposition: {
        async before({ operation, index }) {
          if (operation !== 'claimPast' || index > 0) return;
          await setup.others.keepTicket({ lockId: 'a', me: carol, ticketEnd: T0 + 60_000 });
        },
      },
    });
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 1_000 }));
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'held', waiters: 2 });
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [carol, dave], fence: 100 });
  });

  it('takes a lock past a full line of dead waiters behind a dead holder', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', wasOver), lineOf(64, T0 - margin))] });
    expect(await setup.service.acquire(acquireOf(bob))).toMatchObject({ kind: 'granted', fencingToken: 101 });
    expect(setup.items.get('a')).toMatchObject({ owner: bob, queue: [], tickets: {} });
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
    await expect(service.acquire(acquireOf(bob))).rejects.toBe(lost);
  });

  it('does not join again with a token that had the lock and lost it to another', async () => {
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a', { owner: bob })],
      interposition: {
        before({ operation }) {
          if (operation === 'renew') setup.items.set('a', heldItem('a', { owner: carol, fence: 101, rev: 9 }));
        },
      },
    });
    expect(await setup.time.run(setup.service.acquire(acquireOf(bob)))).toEqual({ kind: 'place-lost' });
    expect(setup.items.get('a')).toMatchObject({ owner: carol, queue: [] });
  });
});
