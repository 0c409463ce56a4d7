import { alice, bob, heldItem, lineOf, margin, T0, tokenOf, withLine } from '../../../support/lock-items.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import {
  acquireOf,
  embeddedTiming,
  momentsOf,
  operationsOf,
  serviceUnderTest,
} from '../../../support/service-under-test.ts';

const long = { until: T0 + 600_000 };
const lasting = T0 + 600_000;

function inPlace(place: number, random: () => number, hold: { until: number } = long) {
  const line = { ...lineOf(place - 1, lasting), [bob]: lasting };
  return serviceUnderTest({ items: [withLine(heldItem('a', hold), line)], timing: embeddedTiming, random });
}

describe('the pace of a waiter', () => {
  it.each([
    [1, 50],
    [2, 100],
    [8, 400],
    [19, 950],
    [20, 1_000],
    [21, 1_000],
    [64, 1_000],
  ])('in place %d is a look about every %d ms, by chance half as long to half again as long', async (place, ms) => {
    for (const chance of [0, 0.5, 0.999_999]) {
      const setup = inPlace(place, () => chance);
      const pauseMs = ms * (0.5 + chance);
      await setup.time.run(setup.service.acquire(acquireOf(bob, { resume: true, waitMs: pauseMs * 3.5 })));
      const looks = momentsOf(setup, 'read');
      expect(looks).toHaveLength(5);
      for (const [at, look] of looks.slice(0, 4).entries()) expect(look).toBeCloseTo(at * pauseMs, 0);
    }
  });

  it.each([1, 64])('asks for a new chance at every pause, so that nobody moves in step (place %d)', async (place) => {
    const chances = [0.1, 0.9, 0.4];
    const setup = inPlace(place, () => chances.shift() ?? 0);
    const base = Math.min(place * 50, 1_000);
    await setup.time.run(setup.service.acquire(acquireOf(bob, { resume: true, waitMs: base * 3 })));
    const looks = momentsOf(setup, 'read').slice(0, 4);
    expect(looks.map((ms) => Math.round((ms / base) * 10) / 10)).toEqual([0, 0.6, 2, 2.9]);
  });

  it('quickens as those before leave', async () => {
    const setup = inPlace(3, () => 0.5);
    const leave = setup.time.at(T0 + 10, async () => {
      for (const me of [tokenOf('waiter0'), tokenOf('waiter1')])
        await setup.others.leave({ lockId: 'a', me, place: 0 });
    });
    await setup.time.run(Promise.all([leave, setup.service.acquire(acquireOf(bob, { resume: true, waitMs: 240 }))]));
    expect(momentsOf(setup, 'read')).toEqual([0, 150, 200, 240]);
  });

  it('goes by eventually consistent reads alone', async () => {
    const setup = inPlace(1, () => 0.5);
    const waiting = setup.service.acquire(acquireOf(bob, { waitMs: 3_000 }));
    await setup.time.advance(2_999);
    await setup.time.run(waiting);
    const [claim, ...looks] = setup.store.calls.slice(0, -1);
    expect(claim?.operation).toBe('claim');
    expect(looks).toHaveLength(60);
    for (const look of looks) expect(look).toMatchObject({ operation: 'read', argument: { consistent: false } });
  });

  it.each([120, 149, 150])('never sleeps past the end of the wait (%d ms)', async (waitMs) => {
    const setup = inPlace(1, () => 0.5);
    await setup.time.run(setup.service.acquire(acquireOf(bob, { resume: true, waitMs })));
    expect(momentsOf(setup, 'read')).toEqual([0, 50, 100, waitMs]);
    expect(setup.time.now()).toBe(T0 + waitMs);
  });

  it.each([
    ['first', {}, 1_003 + margin],
    ['second, behind somebody alive', { [alice]: lasting }, 1_003 + margin + 3_000],
    ['second, behind somebody dead before the lease ended', { [alice]: T0 + 700 }, 1_003 + margin],
    ['second, behind somebody dead soon after the lease ended', { [alice]: T0 + 1_777 }, 1_777 + margin],
    ['second, behind somebody dead long after', { [alice]: T0 + 1_003 + 3_001 }, 1_003 + margin + 3_000],
    ['third, behind two alive', lineOf(2, lasting), 1_003 + margin + 6_000],
    [
      'third, behind one alive and one dead soon after',
      { ...lineOf(1, lasting), [alice]: T0 + 1_777 },
      1_777 + margin + 3_000,
    ],
    ['third, behind two dead one after the other', { ...lineOf(1, T0 + 1_500), [alice]: T0 + 2_222 }, 2_222 + margin],
    ['ninth, behind eight dead', lineOf(8, T0 + 1_234), 1_234 + margin],
  ])('never sleeps past the moment at which it may claim: %s', async (_, before, atMs) => {
    const line = { ...before, [bob]: lasting };
    const setup = serviceUnderTest({
      items: [withLine(heldItem('a', { until: T0 + 1_003 }), line)],
      timing: embeddedTiming,
      random: () => 0.999,
    });
    expect(await setup.time.run(setup.service.acquire(acquireOf(bob, { resume: true })))).toMatchObject({
      kind: 'granted',
      now: T0 + atMs,
    });
    expect(momentsOf(setup, 'claimAsHead')).toEqual([atMs]);
    // Nor does it look without a pause when the lease is over and others have their windows first.
    const looks = momentsOf(setup, 'read');
    const pauses = looks.slice(1, -1).map((ms, at) => ms - (looks[at] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(Object.keys(line).length * 50);
  });
});

describe('what a line costs', () => {
  // 1/p of the first one's rate each, and nobody less than one look a second: 20 × (1 + 1/2 + …) a second.
  const rate = (waiters: number) =>
    Array.from({ length: waiters }, (_, place) => 1_000 / Math.min(1_000, 50 * (place + 1))).reduce((a, b) => a + b);

  async function minuteOf(waiters: number) {
    const setup = serviceUnderTest({
      items: [heldItem('a', long)],
      timing: embeddedTiming,
      random: seededRandom(waiters),
    });
    const all = Array.from({ length: waiters }, (_, at) =>
      setup.service.acquire(acquireOf(tokenOf(`waiter${at}`), { waitMs: 60_000 })),
    );
    const outcomes = await setup.time.run(Promise.all(all));
    expect(outcomes.every(({ kind }) => kind === 'held')).toBe(true);
    return setup;
  }

  it.each([1, 8, 64])('%d waiters look at a rate that grows far slower than their number', async (waiters) => {
    const setup = await minuteOf(waiters);
    const perSecond = momentsOf(setup, 'read').length / 60;
    expect(perSecond).toBeGreaterThan(rate(waiters) * 0.9);
    expect(perSecond).toBeLessThan(rate(waiters) * 1.1);
    expect(perSecond).toBeLessThan(130);
  });

  it('sixty-four waiters write to enter, to leave, and to keep their tickets about every five seconds', async () => {
    const setup = await minuteOf(64);
    expect(momentsOf(setup, 'claim')).toHaveLength(64);
    expect(momentsOf(setup, 'join')).toHaveLength(64);
    expect(momentsOf(setup, 'keepTicket').length).toBeLessThanOrEqual(64 * 12);
    const allowed = ['claim', 'join', 'read', 'keepTicket', 'leave'];
    expect(operationsOf(setup).filter((operation) => !allowed.includes(operation))).toEqual([]);
    expect(setup.items.get('a')).toMatchObject({ owner: alice, queue: [] });
  });

  it('the last of sixty-four hands on and is handed to within a few looks each: all get the lock, in order', async () => {
    const setup = serviceUnderTest({ items: [heldItem('a')], timing: embeddedTiming, random: seededRandom(7) });
    const order: number[] = [];
    const all = Array.from({ length: 64 }, async (_, at) => {
      const ownerToken = tokenOf(`waiter${at}`);
      const outcome = await setup.service.acquire(acquireOf(ownerToken, { waitMs: 600_000 }));
      if (outcome.kind !== 'granted') throw new Error(outcome.kind);
      order.push(outcome.fencingToken - 101 === at ? at : Number.NaN);
      await setup.service.release({ lockId: 'a', ownerToken });
    });
    const released = setup.time.at(T0 + 5_000, () => setup.service.release({ lockId: 'a', ownerToken: alice }));
    await setup.time.run(Promise.all([...all, released]));
    expect(order).toEqual(Array.from({ length: 64 }, (_, at) => at));
    // The heir to be is first in line by then, and looks every 50 ms or, just come up from second, every 100.
    expect(setup.time.now() - T0 - 5_000).toBeLessThan(64 * 150);
  });
});
