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
  embeddedTiming,
  momentsOf,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

const long = { until: T0 + 600_000 };
const lasting = T0 + 600_000;
const inLine = withLine(heldItem('a', long), { [carol]: lasting, [bob]: lasting });

// An eventually consistent read may answer with any state of the last moments. Each of these is one, told for ever.
describe('a waiter that is shown an old state of the lock', () => {
  it.each([
    ['from before it joined', withLine(heldItem('a', long), { [carol]: lasting })],
    ['from before anybody joined', heldItem('a', long)],
    ['from before the holder got it', freeItem('a')],
    ['from before it was ever taken', 'nothing' as const],
    ['from under an earlier holder, whose lease was over', heldItem('a', { until: T0 - 60_000, owner: carol })],
    ['from a shorter line of ended tickets', withLine(heldItem('a', { until: T0 - 60_000 }), { [carol]: 0 })],
  ])('%s: waits on, in its place, without another write', async (_, older) => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [carol]: lasting })] });
    answerStale(setup, (index) => (index < 10 ? older : undefined));
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 5_000 }));
    await setup.time.advance(4_000);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [carol, bob], fence: 100, rev: 8 });
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'held', waiters: 1 });
  });

  it('asks once more, strongly consistent, before it believes that its place is lost', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a', long)] });
    const gone = setup.time.at(T0 + 1_010, () => setup.others.leave({ lockId: 'a', me: bob, place: 0 }));
    expect(await setup.time.run(setup.service.acquire(acquireOf(bob)))).toEqual({
      kind: 'place-lost',
      waitedMs: 1_050,
    });
    await gone;
    expect(setup.store.calls.slice(-2).map(({ argument }) => argument)).toEqual([
      { lockId: 'a', consistent: false },
      { lockId: 'a', consistent: true },
    ]);
    expect(momentsOf(setup, 'read').slice(-2)).toEqual([1_050, 1_050]);
  });

  it('of itself in line although it was handed the lock: confirms in time, by the refusal of its leave', async () => {
    const setup = serviceUnderTest({ items: [provisionalItem('a', { owner: bob, fence: 101, rev: 9 })] });
    answerStale(setup, () => inLine);
    // The first look is strong: let it be one of the line as well.
    const read = setup.store.read;
    let looks = 0;
    setup.store.read = async (...look) => (looks++ === 0 ? inLine : read(...look));
    const waiting = setup.service.acquire(acquireOf(bob, { resume: true, waitMs: 2_000, confirm: true }));
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'granted', fencingToken: 101 });
  });

  it('of a lease that was over, renewed since: its claim is refused, and it waits on', async () => {
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: lasting })] });
    const over = withLine(heldItem('a', { until: T0 - margin }), { [bob]: lasting });
    answerStale(setup, (index) => (index < 5 ? over : undefined));
    const waiting = setup.service.acquire(acquireOf(bob, { resume: true, waitMs: 2_000 }));
    await setup.time.advance(1_900);
    expect(momentsOf(setup, 'claimAsHead').length).toBeGreaterThan(0);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, fence: 100, queue: [bob] });
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'held' });
  });

  it('of a dead waiter before it, who came back since: does not pass it', async () => {
    const ended = { until: T0 + 1_000 };
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', ended), { [carol]: lasting, [bob]: lasting })] });
    answerStale(setup, () => withLine(heldItem('a', ended), { [carol]: T0, [bob]: lasting }));
    const waiting = setup.service.acquire(acquireOf(bob, { resume: true }));
    await setup.time.advance(1_000 + margin + 2_999);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [carol, bob] });
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'granted', now: T0 + 1_000 + margin + 3_000 });
  });

  it('of its own hold, taken by another since: without confirm it is granted nothing', async () => {
    const taken = heldItem('a', { owner: carol, fence: 102, rev: 12 });
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: lasting })] });
    answerStale(setup, (index) => {
      if (index === 1) setup.items.set('a', taken);
      return index === 1 ? provisionalItem('a', { owner: bob, fence: 101 }) : undefined;
    });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { resume: true })));
    expect(outcome).toEqual({ kind: 'place-lost', waitedMs: 50 });
    expect(setup.items.get('a')).toEqual(taken);
  });

  it('of its own hold, taken by another since: with confirm it is granted no more than something to confirm', async () => {
    const taken = heldItem('a', { owner: carol, fence: 102, rev: 12 });
    const setup = serviceUnderTest({ items: [withLine(heldItem('a', long), { [bob]: lasting })] });
    answerStale(setup, (index) => {
      if (index === 1) setup.items.set('a', taken);
      return index === 1 ? provisionalItem('a', { owner: bob, fence: 101 }) : undefined;
    });
    const outcome = await setup.time.run(setup.service.acquire(acquireOf(bob, { resume: true, confirm: true })));
    expect(outcome).toMatchObject({ kind: 'granted', provisional: true, fencingToken: 101 });
    expect(setup.items.get('a')).toEqual(taken);
  });

  it('with it in front, when it leaves: leaves from where it is', async () => {
    const setup = serviceUnderTest({ items: [inLine] });
    answerStale(setup, () => withLine(heldItem('a', long), { [bob]: lasting }));
    const waiting = setup.service.acquire(acquireOf(bob, { resume: true, waitMs: 1_000 }));
    expect(await setup.time.run(waiting)).toMatchObject({ kind: 'held', waiters: 1 });
    expect(setup.items.get('a')).toMatchObject({ queue: [carol] });
  });

  it('with its ticket about to end: never shortens it', async () => {
    const setup = serviceUnderTest({
      items: [withLine(heldItem('a', long), { [bob]: T0 + 60_000 })],
      timing: embeddedTiming,
    });
    answerStale(setup, () => withLine(heldItem('a', long), { [bob]: T0 + 1_000 }));
    const waiting = setup.service.acquire(acquireOf(bob, { resume: true, waitMs: 3_000 }));
    await setup.time.advance(2_900);
    expect(setup.items.get('a')?.tickets).toEqual({ [bob]: T0 + 60_000 });
    await setup.time.run(waiting);
  });

  it('when it gives up: leaves nothing behind', async () => {
    for (const older of [
      heldItem('a', long),
      freeItem('a'),
      'nothing' as const,
      provisionalItem('a', { owner: bob }),
    ]) {
      const controller = new AbortController();
      const setup = serviceUnderTest({ items: [heldItem('a', long)] });
      const waiting = setup.service.acquire(acquireOf(bob, { signal: controller.signal }));
      await setup.time.advance(1_010);
      answerStale(setup, () => older);
      controller.abort();
      expect(await setup.time.run(waiting)).toEqual({ kind: 'gave-up' });
      expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [], tickets: {} });
    }
  });
});

describe('a caller outside a full line that is shown an old state of the lock', () => {
  it.each([
    ['free', freeItem('a')],
    ['with room', heldItem('a', long)],
    ['over, its line dead', withLine(heldItem('a', { until: T0 - 60_000 }), lineOf(64, T0 - 60_000))],
    ['never taken', 'nothing' as const],
  ])('%s: gets nothing, and changes nothing', async (_, older) => {
    const full = withLine(heldItem('a', long), lineOf(64, lasting));
    const setup = serviceUnderTest({ items: [full], timing: embeddedTiming });
    answerStale(setup, () => older);
    expect(await setup.time.run(setup.service.acquire(acquireOf(bob, { waitMs: 10_000 })))).toMatchObject({
      kind: 'held',
    });
    expect(setup.items.get('a')).toEqual(full);
  });
});
