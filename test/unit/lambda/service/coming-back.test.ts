import {
  alice,
  bob,
  carol,
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
  answerStale,
  attemptOf,
  momentsOf,
  operationsOf,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

const long = { until: T0 + 600_000 };
const keeping = { confirm: true, keepPlace: true };

describe('a caller that keeps its place', () => {
  it('is told its place at the end of the wait, and until when it may come back', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [carol]: T0 + 25_000 })] });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, keeping)));
    expect(outcome).toEqual({
      kind: 'still-waiting',
      holder: 'host-a',
      principal: 'arn:aws:iam::1:user/alice',
      expiresInMs: 580_000,
      waiters: 2,
      position: 2,
      retryAfterMs: 0,
      resumeWithinMs: 5_000,
      waitedMs: 20_000,
    });
    expect(setup.time.now()).toBe(T0 + 20_000);
    expect(setup.items.get('a')).toMatchObject({ queue: [carol, bob], tickets: { [bob]: T0 + 25_000 } });
  });

  it('keeps it over several waits, in front of those who came later, and is handed the lock', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', long)] });
    const { service, time } = setup;
    expect(await time.run(service.acquire(acquireOf(bob, keeping)))).toMatchObject({ kind: 'still-waiting' });
    await time.advance(1_000);
    const later = service.acquire(acquireOf(carol, { ...keeping, waitMs: 19_000 }));
    expect(await time.run(service.acquire(acquireOf(bob, { ...keeping, resume: true, waitMs: 10_000 })))).toMatchObject(
      {
        kind: 'still-waiting',
        position: 1,
      },
    );
    const [outcome] = await time.run(
      Promise.all([
        service.acquire(acquireOf(bob, { ...keeping, resume: true })),
        time.at(time.now() + 3_000, () => service.release({ lockId: 'a', ownerToken: alice })),
      ]),
    );
    expect(outcome).toMatchObject({ kind: 'granted', provisional: true, fencingToken: 101 });
    expect(await service.renew(attemptOf(bob))).toMatchObject({ kind: 'granted', waiters: 1 });
    expect(await time.run(later)).toMatchObject({ kind: 'still-waiting', position: 1 });
    expect(momentsOf(setup, 'join')).toHaveLength(2);
  });

  it('finds its ticket extended to the end of the new wait and five seconds', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 5_000 })] });
    const waiting = setup.service.acquire(acquireOf(bob, { ...keeping, resume: true, waitMs: 15_000 }));
    await setup.time.advance(0);
    expect(operationsOf(setup)).toEqual(['read', 'keepTicket']);
    expect(setup.items.get('a')?.tickets).toEqual({ [bob]: T0 + 20_000 });
    await setup.time.run(waiting);
  });

  it('finds its ticket extended also when it comes back without time to wait', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 1_000 })] });
    const outcome = await setup.service.acquire(acquireOf(bob, { ...keeping, resume: true, waitMs: 0 }));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: 1, resumeWithinMs: 5_000 });
    expect(setup.items.get('a')?.tickets).toEqual({ [bob]: T0 + 5_000 });
  });

  it('has its place kept for five seconds from its answer, also when its ticket lasted longer than half of that', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 2_600 })] });
    const outcome = await setup.service.acquire(acquireOf(bob, { ...keeping, resume: true, waitMs: 0 }));
    expect(outcome).toMatchObject({ kind: 'still-waiting', resumeWithinMs: 5_000 });
    expect(setup.items.get('a')?.tickets).toEqual({ [bob]: T0 + 5_000 });
  });

  it('leaves the line when it asks without time to wait and keeps no place', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 5_000 })] });
    expect(await setup.service.acquire(acquireOf(bob, { waitMs: 0 }))).toMatchObject({ kind: 'held' });
    expect(setup.items.get('a')).toMatchObject({ queue: [], tickets: {} });
  });

  it('keeps its place when its token only tries', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 5_000 })] });
    expect(await setup.service.try(attemptOf(bob))).toMatchObject({ kind: 'held' });
    expect(setup.items.get('a')).toMatchObject({ queue: [bob] });
  });

  it('finds its place also when it asks again as if for the first time, without time to wait', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 1_000 })] });
    const outcome = await setup.service.acquire(acquireOf(bob, { ...keeping, waitMs: 0 }));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: 1 });
    expect(setup.items.get('a')).toMatchObject({ queue: [bob], tickets: { [bob]: T0 + 5_000 } });
  });

  it('revives a ticket that has ended, while nobody passed it', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 - 60_000 })] });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { ...keeping, resume: true })));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: 1 });
  });

  it('leaves the line when it comes back without keeping its place any longer, even without time to wait', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 5_000 })] });
    expect(await setup.service.acquire(acquireOf(bob, { resume: true, waitMs: 0 }))).toMatchObject({ kind: 'held' });
    expect(operationsOf(setup)).toEqual(['read', 'leave']);
    expect(setup.items.get('a')).toMatchObject({ queue: [], tickets: {} });
  });

  it('is given what is its own for a whole lease as that, renewed, although it would confirm', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', { owner: bob, until: T0 + 9_000 })] });
    const outcome = await setup.service.acquire(acquireOf(bob, { ...keeping, confirm: true, resume: true }));
    expect(outcome).toMatchObject({ kind: 'granted', provisional: false, leaseMs: 30_000, until: T0 + 30_000 });
  });

  it.each([
    ['to confirm what it was handed', true, { provisional: true, leaseMs: 3_000 }, ['read']],
    ['what it was handed, confirmed by the service', false, { provisional: false, leaseMs: 30_000 }, ['read', 'renew']],
  ] as const)('is given %s meanwhile', async (_, confirm, grant, operations) => {
    const setup = serviceUnderTest({ items: [provisionalItem('a', { owner: bob })] });
    const outcome = await setup.service.acquire(acquireOf(bob, { confirm, keepPlace: true, resume: true }));
    expect(outcome).toMatchObject({ kind: 'granted', fencingToken: 100, ...grant });
    expect(operationsOf(setup)).toEqual(operations);
  });

  it.each([
    ['another holds it', heldItem('a')],
    ['it is free', freeItem('a')],
    ['another holds it, others wait', withLine(heldItem('a'), { [carol]: T0 + 25_000 })],
    ['it is over, the line dead', withLine(heldItem('a', { until: T0 - 60_000 }), { [carol]: T0 - 60_000 })],
    ['there is no item', undefined],
  ])('has lost its place where it neither waits nor holds, and gets nothing else: %s', async (_, item) => {
    const setup = serviceUnderTest({ items: item ? [item] : [] });
    const outcome = await setup.service.acquire(acquireOf(bob, { ...keeping, resume: true }));
    expect(outcome).toEqual({ kind: 'place-lost' });
    expect(setup.items.get('a')).toEqual(item);
    // An old look may say so just after joining; the second one is strong.
    expect(setup.store.calls.map(({ argument }) => argument)).toEqual([
      { lockId: 'a', consistent: false },
      { lockId: 'a', consistent: true },
    ]);
  });

  it.each(['last', 'broken'] as const)('learns that its token had its lease meanwhile (%s)', async (name) => {
    const setup = serviceUnderTest({ items: [freeItem('a', { [name]: bob })] });
    expect(await setup.service.acquire(acquireOf(bob, { ...keeping, resume: true }))).toEqual({ kind: 'token-spent' });
  });

  it.each([
    ['before it joined', heldItem('a', long)],
    ['before the lock was taken', 'nothing' as const],
  ])('does not believe an old look that says its place is lost: %s', async (_, older) => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: T0 + 5_000 })] });
    answerStale(setup, () => older);
    const outcome = await setup.time.run(
      setup.service.acquire(acquireOf(bob, { ...keeping, resume: true, waitMs: 1_000 })),
    );
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: 1 });
  });
});

describe('a caller that comes back from behind those who are kept waiting', () => {
  const line = { ...lineOf(8, T0 + 25_000), [bob]: T0 + 5_000 };

  it('is told its new place at once, with its ticket extended', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), line)] });
    await setup.time.advance(2_000);
    const outcome = await setup.service.acquire(acquireOf(bob, { ...keeping, resume: true }));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: 9, retryAfterMs: 2_000, resumeWithinMs: 10_000 });
    expect(setup.items.get('a')?.tickets[bob]).toBe(T0 + 12_000);
    expect(setup.time.now()).toBe(T0 + 2_000);
  });

  it('is told when to come back also without time to wait', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), line)] });
    const outcome = await setup.service.acquire(acquireOf(bob, { ...keeping, resume: true, waitMs: 0 }));
    expect(outcome).toMatchObject({ kind: 'still-waiting', position: 9, retryAfterMs: 250 });
  });

  it('is kept waiting once it is among the first', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), line)] });
    await setup.others.leave({ lockId: 'a', me: Object.keys(line)[3] ?? '', place: 3 });
    const waiting = setup.service.acquire(acquireOf(bob, { ...keeping, resume: true, waitMs: 10_000 }));
    await setup.time.advance(1_000);
    expect(setup.items.get('a')?.tickets[bob]).toBe(T0 + 15_000);
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'still-waiting', position: 8, retryAfterMs: 0 });
    expect(setup.time.now()).toBe(T0 + 10_000);
  });

  it('comes back in time for a lock that is handed to it just after it left', async () => {
    const dead = Object.fromEntries(Object.keys(lineOf(63)).map((waiter) => [waiter, T0 - margin + 1]));
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), dead)] });
    const { service, time } = setup;
    const told = await service.acquire(acquireOf(bob, keeping));
    if (told.kind !== 'still-waiting') throw new Error(told.kind);
    // Those before let their tickets end.
    await time.advance(1);
    await service.release({ lockId: 'a', ownerToken: alice });
    await time.advance(told.retryAfterMs);
    expect(await service.acquire(acquireOf(bob, { ...keeping, resume: true }))).toMatchObject({ kind: 'granted' });
    await time.advance(3_000 - told.retryAfterMs);
    expect(await service.try(attemptOf(carol))).toMatchObject({ kind: 'held' });
    expect(await service.renew(attemptOf(bob))).toMatchObject({ kind: 'granted', provisional: false });
  });
});
