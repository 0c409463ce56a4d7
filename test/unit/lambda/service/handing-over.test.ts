import type { HandOver, Leave, ReleasePast, Transfer } from '../../../../lambda/service/lock-store.ts';
import { alice, bob, carol, dave, freeItem, heldItem, margin, T0, withLine } from '../../../support/lock-items.ts';
import {
  answerStale,
  attemptOf,
  operationsOf,
  type ServiceUnderTest,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

const byAlice = { lockId: 'a', ownerToken: alice, expectWaiters: true };
const released = { kind: 'released' };
const handedOver = { kind: 'released', handedOver: true };
const valid = T0 + 5_000;

/** Something else that happens just before the first write of a kind reaches the store. */
function justBefore(
  write: 'handOver' | 'releasePast' | 'transfer' | 'leave' | 'release',
  item: ReturnType<typeof heldItem>,
  act: (setup: ServiceUnderTest, argument: unknown) => unknown,
): ServiceUnderTest {
  const setup: ServiceUnderTest = serviceUnderTest({
    items: [item],
    interposition: {
      async before({ operation, index, argument }) {
        if (operation === write && index === 0) await act(setup, argument);
      },
    },
  });
  return setup;
}

describe('a release with waiters in line', () => {
  it('gives the lock to the first, provisionally, in the one write that ends the hold', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a'), { [bob]: valid, [carol]: valid })] });
    expect(await setup.service.release(byAlice)).toEqual(handedOver);
    expect(operationsOf(setup)).toEqual(['read', 'handOver']);
    expect(setup.items.get('a')).toEqual({
      lockId: 'a',
      owner: bob,
      until: T0 + 3_000,
      since: T0,
      fence: 101,
      last: alice,
      queue: [carol],
      tickets: { [carol]: valid },
      rev: 8,
      ttl: T0 / 1_000 + 3 + 604_800,
    });
  });

  it.each([
    ['does not expect them', false, ['release', 'handOver']],
    ['expects them: it looks first, and saves the refused write', true, ['read', 'handOver']],
  ])('takes two requests when its caller %s', async (_, expectWaiters, operations) => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a'), { [bob]: valid })] });
    expect(await setup.service.release({ ...byAlice, expectWaiters })).toEqual(handedOver);
    expect(operationsOf(setup)).toEqual(operations);
    expect(setup.items.get('a')).toMatchObject({ owner: bob });
  });

  it('looks by an eventually consistent read, at half the price', async () => {
    const { service, store } = serviceUnderTest({ items: [withLine(heldItem('a'), { [bob]: valid })] });
    await service.release(byAlice);
    expect(store.calls[0]).toMatchObject({ operation: 'read', argument: { consistent: false } });
  });

  it('skips those whose tickets have ended, by the margin, and takes them out of the line', async () => {
    const line = { [bob]: T0 - 60_000, [carol]: T0 - margin, [dave]: T0 - margin + 1 };
    const { service, items } = serviceUnderTest({ items: [withLine(heldItem('a'), line)] });
    await service.release(byAlice);
    expect(items.get('a')).toMatchObject({ owner: dave, queue: [], tickets: {}, fence: 101 });
  });

  it('leaves those behind the first valid one in line, whether their tickets have ended or not', async () => {
    const line = { [bob]: T0 - 60_000, [carol]: valid, [dave]: T0 - 60_000 };
    const { service, items } = serviceUnderTest({ items: [withLine(heldItem('a'), line)] });
    await service.release(byAlice);
    expect(items.get('a')).toMatchObject({ owner: carol, queue: [dave], tickets: { [dave]: T0 - 60_000 } });
  });

  it('frees the lock and empties the line when every ticket has ended', async () => {
    const line = { [bob]: T0 - 60_000, [carol]: T0 - margin };
    const setup = serviceUnderTest({ items: [withLine(heldItem('a'), line)] });
    expect(await setup.service.release(byAlice)).toEqual(released);
    expect(operationsOf(setup)).toEqual(['read', 'releasePast']);
    expect(setup.items.get('a')).toEqual(freeItem('a', { last: alice, rev: 8, ttl: T0 / 1_000 + 604_800 }));
  });

  it('hands over instead when a waiter that it took for dead comes back in that moment', async () => {
    const setup = justBefore('releasePast', withLine(heldItem('a'), { [bob]: T0 - 60_000 }), ({ others }) =>
      others.keepTicket({ lockId: 'a', me: bob, ticketEnd: valid }),
    );
    await setup.service.release(byAlice);
    expect(operationsOf(setup)).toEqual(['read', 'releasePast', 'handOver']);
    expect(setup.items.get('a')).toMatchObject({ owner: bob, fence: 101, queue: [] });
  });

  it('hands over to one before the next when that one comes back in that moment', async () => {
    const line = { [bob]: T0 - 60_000, [carol]: valid };
    const setup = justBefore('handOver', withLine(heldItem('a'), line), ({ others }) =>
      others.keepTicket({ lockId: 'a', me: bob, ticketEnd: valid }),
    );
    await setup.service.release(byAlice);
    expect(setup.items.get('a')).toMatchObject({ owner: bob, queue: [carol] });
  });

  it('hands over to the one after the next when that one leaves in that moment', async () => {
    const setup = justBefore('handOver', withLine(heldItem('a'), { [bob]: valid, [carol]: valid }), ({ others }) =>
      others.leave({ lockId: 'a', me: bob, place: 0 }),
    );
    await setup.service.release(byAlice);
    expect(setup.items.get('a')).toMatchObject({ owner: carol, queue: [], fence: 101 });
  });

  it('is a plain release when the last one leaves in that moment', async () => {
    const setup = justBefore('handOver', withLine(heldItem('a'), { [bob]: valid }), ({ others }) =>
      others.leave({ lockId: 'a', me: bob, place: 0 }),
    );
    await setup.service.release(byAlice);
    expect(operationsOf(setup)).toEqual(['read', 'handOver', 'release']);
    expect(setup.items.get('a')).toMatchObject({ last: alice, fence: 100 });
    expect(setup.items.get('a')).not.toHaveProperty('owner');
  });

  it('hands over to somebody who joins just before a plain release', async () => {
    const setup = justBefore('release', heldItem('a'), ({ others }) =>
      others.join({ lockId: 'a', me: bob, ticketEnd: valid, lineLimit: 64 }),
    );
    await setup.service.release({ lockId: 'a', ownerToken: alice });
    expect(operationsOf(setup)).toEqual(['release', 'handOver']);
    expect(setup.items.get('a')).toMatchObject({ owner: bob, last: alice });
  });

  it.each(['handOver', 'releasePast'] as const)('whose reply was lost finds it done, once (%s)', async (write) => {
    const line = { [bob]: write === 'handOver' ? valid : T0 - 60_000 };
    const setup = justBefore(write, withLine(heldItem('a'), line), ({ others }, argument) =>
      write === 'handOver' ? others.handOver(argument as HandOver) : others.releasePast(argument as ReleasePast),
    );
    expect(await setup.service.release(byAlice)).toEqual(released);
    expect(setup.items.get('a')).toMatchObject({ last: alice, rev: 8, queue: [] });
    const after = setup.items.get('a');
    expect(await setup.service.release(byAlice)).toEqual(released);
    expect(await setup.service.release({ ...byAlice, expectWaiters: false })).toEqual(released);
    expect(setup.items.get('a')).toEqual(after);
  });

  it('of a hold that another took meanwhile touches nothing', async () => {
    const carols = withLine(heldItem('a', { owner: carol, fence: 102 }), { [dave]: valid });
    const setup = justBefore('handOver', withLine(heldItem('a'), { [bob]: valid }), ({ items }) =>
      items.set('a', carols),
    );
    expect(await setup.service.release(byAlice)).toEqual({ kind: 'lease-lost', reason: 'superseded' });
    expect(setup.items.get('a')).toEqual(carols);
  });

  it('of a hold that was broken meanwhile says so', async () => {
    const setup = justBefore('handOver', withLine(heldItem('a'), { [bob]: valid }), ({ service }) =>
      service.break({ lockId: 'a', fencingToken: 100 }),
    );
    expect(await setup.service.release(byAlice)).toEqual({ kind: 'lease-lost', reason: 'broken' });
    expect(setup.items.get('a')).toMatchObject({ owner: bob, fence: 101 });
  });

  it.each([
    ['of nobody in line', heldItem('a')],
    ['of one who left', withLine(heldItem('a'), { [dave]: valid, [bob]: valid })],
    ['of a valid ticket that has ended', withLine(heldItem('a'), { [carol]: valid, [bob]: valid })],
    ['of an ended ticket that is valid', withLine(heldItem('a', { rev: 6 }), { [bob]: T0 - 60_000 })],
    ['of all tickets ended', withLine(heldItem('a', { rev: 6 }), { [carol]: 0, [bob]: 0 })],
    ['of another holder', heldItem('a', { owner: carol })],
    ['of its own token in line', withLine(heldItem('a', { owner: carol }), { [alice]: valid })],
    ['of a free lock', freeItem('a')],
    ['of no lock', 'nothing' as const],
  ])('is not misled by an old look: %s', async (_, older) => {
    const line = { [carol]: T0 - 60_000, [bob]: valid };
    const setup = serviceUnderTest({ items: [withLine(heldItem('a'), line)] });
    answerStale(setup, () => older);
    expect(await setup.service.release(byAlice)).toEqual(handedOver);
    const item = setup.items.get('a');
    // A look that takes carol for valid hands over to her: she stands in line, and nobody before her.
    const mayBeCarol = older !== 'nothing' && older.queue[0] === carol && (older.tickets[carol] ?? 0) > T0;
    expect(item).toMatchObject({ owner: mayBeCarol ? carol : bob, last: alice, fence: 101 });
  });
});

describe('a release by a waiter', () => {
  const line = withLine(heldItem('a'), { [bob]: valid, [carol]: valid });

  it.each([true, false])('leaves the line, and the holder alone (expectWaiters: %s)', async (expectWaiters) => {
    const { service, items } = serviceUnderTest({ items: [line] });
    expect(await service.release({ lockId: 'a', ownerToken: carol, expectWaiters })).toEqual(released);
    expect(items.get('a')).toEqual({ ...line, queue: [bob], tickets: { [bob]: valid }, rev: 8 });
  });

  it('repeated is told that it has nothing, and changes nothing', async () => {
    const { service, items } = serviceUnderTest({ items: [line] });
    await service.release({ lockId: 'a', ownerToken: carol });
    const after = items.get('a');
    expect(await service.release({ lockId: 'a', ownerToken: carol })).toMatchObject({ kind: 'lease-lost' });
    expect(items.get('a')).toEqual(after);
  });

  it('finds it done when an earlier attempt got through in that moment', async () => {
    const setup = justBefore('leave', line, ({ others }, argument) => others.leave(argument as Leave));
    expect(await setup.service.release({ lockId: 'a', ownerToken: carol, expectWaiters: true })).toEqual(released);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [bob], rev: 8 });
  });

  it('finds its place moved, and leaves from there', async () => {
    const setup = justBefore('leave', line, ({ others }) => others.leave({ lockId: 'a', me: bob, place: 0 }));
    expect(await setup.service.release({ lockId: 'a', ownerToken: carol })).toEqual(released);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [], tickets: {} });
  });

  it('that is handed the lock in that moment gives it up as well', async () => {
    const setup = justBefore('leave', line, async ({ service, others }) => {
      await others.leave({ lockId: 'a', me: bob, place: 0 });
      await service.release(byAlice);
    });
    expect(await setup.service.release({ lockId: 'a', ownerToken: carol })).toEqual(released);
    expect(setup.items.get('a')).toMatchObject({ last: carol, queue: [] });
    expect(setup.items.get('a')).not.toHaveProperty('owner');
  });
});

describe('a release with an heir', () => {
  const heir = { ownerToken: bob, leaseMs: 20_000, identity: { holder: 'host-b', principal: 'bob' } };
  const toBob = { lockId: 'a', ownerToken: alice, heir };
  const grant = {
    kind: 'granted',
    lockId: 'a',
    ownerToken: bob,
    fencingToken: 101,
    leaseMs: 20_000,
    until: T0 + 20_000,
    now: T0,
    provisional: false,
    waiters: 0,
  };

  it('gives it the lock, whole, in the one write that ends the hold', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')] });
    expect(await setup.service.release(toBob)).toEqual({ kind: 'released', heir: grant });
    expect(operationsOf(setup)).toEqual(['transfer']);
    expect(setup.items.get('a')).toEqual({
      ...heldItem('a'),
      owner: bob,
      until: T0 + 20_000,
      fence: 101,
      holder: 'host-b',
      principal: 'bob',
      last: alice,
      rev: 8,
      ttl: T0 / 1_000 + 20 + 604_800,
    });
  });

  it.each([true, false])(
    'gives the lock to the line instead, which goes first (expectWaiters: %s)',
    async (expectWaiters) => {
      const { service, items } = serviceUnderTest({ items: [withLine(heldItem('a'), { [carol]: valid })] });
      expect(await service.release({ ...toBob, expectWaiters })).toEqual(handedOver);
      expect(items.get('a')).toMatchObject({ owner: carol, last: alice, fence: 101 });
    },
  );

  it('gives the lock to somebody who joins in that moment', async () => {
    const setup = justBefore('transfer', heldItem('a'), ({ others }) =>
      others.join({ lockId: 'a', me: carol, ticketEnd: valid, lineLimit: 64 }),
    );
    expect(await setup.service.release(toBob)).toEqual(handedOver);
    expect(operationsOf(setup)).toEqual(['transfer', 'handOver']);
    expect(setup.items.get('a')).toMatchObject({ owner: carol, queue: [] });
  });

  it('repeated because its reply was lost finds the heir, and confirms its lease from now on', async () => {
    const setup = justBefore('transfer', heldItem('a'), async ({ others, time }, argument) => {
      await others.transfer(argument as Transfer);
      await time.advance(1_000);
    });
    expect(await setup.service.release(toBob)).toEqual({
      kind: 'released',
      heir: { ...grant, now: T0 + 1_000, until: T0 + 21_000 },
    });
    expect(operationsOf(setup)).toEqual(['transfer', 'renew']);
    expect(setup.items.get('a')).toMatchObject({ owner: bob, fence: 101, until: T0 + 21_000 });
  });

  it('repeated finds no heir when the line went first', async () => {
    const { service, items } = serviceUnderTest({ items: [withLine(heldItem('a'), { [carol]: valid })] });
    await service.release(toBob);
    const after = items.get('a');
    expect(await service.release(toBob)).toEqual(released);
    expect(items.get('a')).toEqual(after);
  });

  it.each([
    ['another took it', heldItem('a', { owner: carol, last: alice, fence: 102 })],
    ['nobody holds it', freeItem('a', { last: alice })],
  ])('repeated finds no heir when it is not the owner any more: %s', async (_, item) => {
    const setup = serviceUnderTest({ items: [item] });
    expect(await setup.service.release(toBob)).toEqual(released);
    expect(operationsOf(setup)).toEqual(['transfer']);
    expect(setup.items.get('a')).toEqual(item);
  });

  it('never takes the owner in an item for a grant to the heir: another took it meanwhile', async () => {
    const taken = heldItem('a', { owner: carol, fence: 102, rev: 10 });
    const setup: ServiceUnderTest = serviceUnderTest({
      items: [heldItem('a', { owner: bob, last: alice, fence: 101 })],
      interposition: {
        before({ operation }) {
          if (operation === 'renew') setup.items.set('a', taken);
        },
      },
    });
    expect(await setup.service.release(toBob)).toEqual(released);
    expect(setup.items.get('a')).toEqual(taken);
  });

  it.each([
    ['superseded', heldItem('a', { owner: carol })],
    ['broken', freeItem('a', { broken: alice })],
  ])('of a lost lease gives the heir nothing: %s', async (reason, item) => {
    const { service, items } = serviceUnderTest({ items: [item] });
    expect(await service.release(toBob)).toEqual({ kind: 'lease-lost', reason });
    expect(items.get('a')).toEqual(item);
  });

  it('gives the heir a grant that others respect', async () => {
    const { service, time } = serviceUnderTest({ items: [heldItem('a')] });
    await service.release(toBob);
    await time.advance(20_000 + margin - 1);
    expect(await service.try(attemptOf(carol))).toMatchObject({ kind: 'held' });
    await time.advance(1);
    expect(await service.try(attemptOf(carol))).toMatchObject({ kind: 'granted', fencingToken: 102 });
  });
});
