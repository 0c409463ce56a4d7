import {
  exchange,
  fail,
  fault,
  grant,
  historyOf,
  invoke,
  item,
  look,
  lost,
  ok,
  processStart,
  release,
  renewed,
  type Told,
  unknown,
} from '../told.ts';
import { staleOperations } from './stale-operations.ts';

const messages = (...parts: Told[]) => staleOperations.check(historyOf(...parts)).findings.map((each) => each.message);

describe('stale operations: holds', () => {
  const hold = grant('w1.1', [0, 10], 1);

  it.each(['superseded', 'absent'] as const)('find a hold that was lost as %s before its deadline', (reason) => {
    expect(messages(hold, lost('w1.1', 700, reason))).toEqual([
      `w1.1 (fencing token 1) was lost as "${reason}" 1310.0 ms before its deadline, and nobody broke it`,
    ]);
    expect(messages(hold, lost('w1.1', 2_010, reason))).toEqual([]);
  });

  it('accept that a hold is over that was given back, was broken, or ran out', () => {
    expect(messages(hold, release('w1.1', [600, 650]), lost('w1.1', 700, 'superseded'))).toEqual([]);
    const broken = [invoke('w3.1', 'break', 400, { fencingToken: 1 }), ok('w3.1', 'break', 410, {})];
    expect(messages(hold, broken, lost('w1.1', 700, 'superseded'))).toEqual([]);
    expect(messages(hold, lost('w1.1', 700, 'unreachable'))).toEqual([]);
  });

  it('accept with clocks too far apart that another takes a lock early, and find that it went to nobody', () => {
    const clocks = [processStart('api1', 'service', 0), processStart('api2', 'service', 501)];
    expect(messages(clocks, hold, grant('w2.1', [600, 650], 2), lost('w1.1', 700, 'superseded'))).toEqual([]);
    expect(messages(clocks, hold, lost('w1.1', 700, 'superseded'))).toHaveLength(1);
    expect(messages(clocks, hold, grant('w2.1', [800, 850], 2), lost('w1.1', 700, 'superseded'))).toHaveLength(1);
  });

  it('find a release and a renewal that succeed after the lost signal', () => {
    const over = lost('w1.1', 2_010);
    expect(messages(hold, over, release('w1.1', [2_100, 2_200], { code: 'lease-lost', reason: 'expired' }))).toEqual(
      [],
    );
    expect(messages(hold, over, release('w1.1', [2_100, 2_200]))).toHaveLength(1);
    expect(messages(hold, over, release('w1.1', [2_000, 2_200]))).toEqual([]);
    const renewal = ok('w1.2', 'renew', 2_200, { remainingMs: 1, lookedAtMs: 2_200 });
    expect(messages(hold, over, invoke('w1.2', 'renew', 2_100, { hold: 'w1.1' }), renewal)).toHaveLength(1);
  });
});

describe('stale operations: holds that outlive their end', () => {
  const hold = grant('w1.1', [0, 10], 1);
  const broken = [invoke('w3.9', 'break', 100, { fencingToken: 1 }), ok('w3.9', 'break', 110, {})];
  const perhapsBroken = [invoke('w3.9', 'break', 100, { fencingToken: 1 }), unknown('w3.9', 110)];
  const renewal = (hold: string, [fromMs, toMs]: readonly [number, number]) => [
    invoke('w1.9', 'renew', fromMs, { hold }),
    ok('w1.9', 'renew', toMs, { remainingMs: 2_000, lookedAtMs: toMs }),
  ];

  it('find that a hold is renewed after a break of it was acknowledged, and accept a renewal sent before', () => {
    expect(messages(hold, broken, renewed('w1.1', 700), renewed('w1.1', 1_400))).toEqual([
      'the break w3.9 of w1.1 (fencing token 1) was acknowledged, and it was renewed after that',
    ]);
    // Its answer came late: 2,000 less what is left since.
    expect(messages(hold, broken, renewed('w1.1', 700, 1_410), lost('w1.1', 800, 'broken'))).toEqual([]);
    expect(messages(hold, broken, renewed('w1.1', 700, 1_411))).toHaveLength(1);
    expect(messages(hold, perhapsBroken, renewed('w1.1', 700), renewed('w1.1', 1_400))).toEqual([]);
  });

  it('find it by a look as well, whose time left no earlier request can have given', () => {
    expect(messages(hold, broken, look('w1.1', 1_500, true, 511))).toEqual([]);
    expect(messages(hold, broken, look('w1.1', 1_500, true, 611))).toHaveLength(1);
  });

  it('find that a hold is renewed when a later one was there, whatever may have ended it, with any clocks', () => {
    const clocks = [processStart('api1', 'service', 0), processStart('api2', 'service', 2_000)];
    const next = grant('w2.1', [800, 810], 2);
    const perhapsReleased = [invoke('w1.2', 'release', 100, { hold: 'w1.1' }), unknown('w1.2', 200)];
    const what = 'w1.1 (fencing token 1) was renewed after fencing token 2 was there';
    expect(messages(hold, perhapsBroken, next, renewed('w1.1', 700), renewed('w1.1', 1_400))).toEqual([what]);
    expect(messages(hold, perhapsReleased, next, renewed('w1.1', 811))).toEqual([what]);
    expect(messages(clocks, hold, next, renewed('w1.1', 811))).toEqual([what]);
    // It may have been renewed just before the other was granted.
    expect(messages(hold, perhapsBroken, next, renewed('w1.1', 811, 1_999))).toEqual([]);
    expect(messages(hold, perhapsBroken, next, renewed('w1.1', 700))).toEqual([]);
  });

  it('know of the later one from replies and stored items, too', () => {
    const late = renewed('w1.1', 900);
    const reply = exchange(
      'bob',
      800,
      { kind: 'granted', fencingToken: 2, isProvisional: true },
      { isDelivered: false },
    );
    expect(messages(hold, reply, late)).toHaveLength(1);
    expect(messages(hold, item(800, { fence: 2, rev: 9, owner: 'bob' }), late)).toHaveLength(1);
    expect(messages(hold, item(800, { fence: 1, rev: 9, owner: 'alice' }), late)).toEqual([]);
  });

  it('find a renewal that was answered to an owner token when a later one had been granted', () => {
    const granted = (fencingToken: number, isProvisional = false) =>
      ({ kind: 'granted', fencingToken, isProvisional }) as const;
    const [first, second] = [exchange('alice', 5, granted(1)), exchange('bob', 4_000, granted(2))];
    expect(messages(first, second, exchange('alice', 4_100, granted(1), { operation: 'renew' }))).toEqual([
      'an owner token (fencing token 1) was renewed after fencing token 2 was there',
    ]);
    const together = exchange('alice', 4_100, granted(1), { operation: 'renew', sentMs: 3_999 });
    expect(messages(first, second, together)).toEqual([]);
    expect(messages(first, second, exchange('bob', 4_200, granted(2), { operation: 'renew' }))).toEqual([]);
  });

  it('find a release and a renewal by hand that succeed after the deadline, though no signal told of it', () => {
    const byHand = grant('w1.1', [0, 10], 1, { isRenewedByHand: true });
    expect(messages(byHand, release('w1.1', [2_012, 2_020]))).toEqual([
      'the release w1.1-release succeeded after w1.1 had ended by its own deadline',
    ]);
    expect(messages(byHand, release('w1.1', [2_011, 2_500]))).toEqual([]);
    expect(messages(byHand, renewal('w1.1', [2_012, 2_020]))).toHaveLength(1);
    expect(messages(byHand, renewal('w1.1', [2_011, 2_020]))).toEqual([]);
    // It was renewed before.
    expect(messages(byHand, renewal('w1.1', [1_000, 1_010]), release('w1.1', [3_000, 3_010]))).toEqual([]);
  });

  it('accept the second of two releases, and a hold whose clock was set meanwhile', () => {
    const perhapsReleased = [invoke('w1.2', 'release', 100, { hold: 'w1.1' }), unknown('w1.2', 5_000)];
    expect(messages(hold, perhapsReleased, release('w1.1', [6_000, 6_010]))).toEqual([]);
    expect(messages(hold, fault('clock', 'w1', [500, 500]), release('w1.1', [2_300, 2_310]))).toEqual([]);
    expect(messages(hold, fault('clock', 'w2', [500, 500]), release('w1.1', [2_300, 2_310]))).toHaveLength(1);
  });

  it('find a release that succeeds after an acknowledged break, unless a reply to it may have been lost', () => {
    expect(messages(hold, broken, release('w1.1', [1_600, 1_610]))).toEqual([
      'the release w1.1-release succeeded after w1.1 was broken, which was acknowledged',
    ]);
    expect(
      messages(hold, broken, fault('lost-replies', 'api', [50, 700], ['w1']), release('w1.1', [1_600, 1_610])),
    ).toEqual([]);
    expect(messages(hold, perhapsBroken, release('w1.1', [1_600, 1_610]))).toEqual([]);
    expect(messages(hold, broken, release('w1.1', [110, 130]))).toEqual([]);
  });

  it('find that a release or renewal is told that the hold is gone although it lasted', () => {
    const gone = { code: 'lease-lost', reason: 'superseded' } as const;
    expect(messages(hold, release('w1.1', [100, 110], gone))).toHaveLength(1);
    expect(messages(hold, invoke('w1.9', 'renew', 100, { hold: 'w1.1' }), fail('w1.9', 110, gone))).toHaveLength(1);
    expect(messages(hold, fault('lost-replies', 'api', [50, 700], ['w1']), release('w1.1', [100, 110], gone))).toEqual(
      [],
    );
    expect(messages(hold, broken, release('w1.1', [200, 210], gone))).toEqual([]);
    expect(messages(hold, release('w1.1', [2_005, 2_010], gone))).toEqual([]);
  });
});

describe('stale operations: stored items', () => {
  const held = { fence: 5, rev: 10, owner: 'alice', untilMs: 9_000 };

  it.each([
    ['nothing between two looks', held, held],
    ['a renewal', held, { ...held, rev: 11, untilMs: 9_500 }],
    ['a release', held, { fence: 5, rev: 11, last: 'alice' }],
    ['another hold', held, { fence: 6, rev: 11, owner: 'bob', untilMs: 8_000 }],
    [
      'a confirmation for less than the claim window',
      { ...held, isProvisional: true },
      { ...held, rev: 11, untilMs: 8_000 },
    ],
    ['the first hold', null, held],
  ])('accept %s', (_, before, after) => {
    expect(messages(item(10, before), item(20, after))).toEqual([]);
  });

  it.each([
    ['a rev that falls', held, { ...held, rev: 9 }, 'went back from rev 10 to 9'],
    ['a fencing token that falls', held, { ...held, rev: 11, fence: 4 }, 'went back from fencing token 5 to 4'],
    ['a change without a rev', held, { ...held, untilMs: 9_001 }, 'changed without a new rev'],
    ['a lease made shorter', held, { ...held, rev: 11, untilMs: 8_999 }, 'has a lease that was made shorter'],
    [
      'a new owner without a fencing token',
      held,
      { ...held, rev: 11, owner: 'bob' },
      'has another owner under the same',
    ],
    ['an item that is gone', held, null, 'is gone, and nobody deleted it'],
  ])('find %s', (_, before, after, what) => {
    expect(messages(item(10, before), item(20, after))).toEqual([expect.stringContaining(what)]);
  });

  it('accept that looks under way together see the item in either order', () => {
    const first = item(20, { ...held, rev: 11, untilMs: 9_500 }, { sentMs: 5 });
    expect(messages(first, item(25, held, { sentMs: 19 }))).toEqual([]);
    expect(messages(first, item(25, held, { sentMs: 21 }))).toHaveLength(1);
  });

  it('accept an item that was deleted and made anew above its fencing token, and find one below', () => {
    const deleted = fault('deletion', 'a', [12, 14], []);
    expect(messages(item(10, held), deleted, item(20, null), item(30, { fence: 6, rev: 1 }))).toEqual([]);
    expect(messages(item(10, held), deleted, item(30, { fence: 6, rev: 1 }), item(40, { fence: 7, rev: 2 }))).toEqual(
      [],
    );
    expect(messages(item(10, held), deleted, item(20, null), item(30, { fence: 4, rev: 1 }))).toHaveLength(1);
    expect(messages(item(10, held), fault('deletion', 'b', [12, 14], []), item(20, null))).toHaveLength(1);
  });

  it('accept that the holder gave its hold back, and find that another did', () => {
    const free = (last: string) => item(20, { fence: 5, rev: 11, last });
    expect(messages(item(10, held), free('alice'))).toEqual([]);
    const reply = exchange('alice', 5, { kind: 'granted', fencingToken: 5, isProvisional: false });
    expect(messages(reply, free('bob'))).toEqual([
      'the hold with fencing token 5 was of owner alice, and owner bob gave it back',
    ]);
    expect(messages(item(10, held), free('bob'), item(30, { fence: 5, rev: 11, last: 'bob' }))).toHaveLength(1);
  });

  it('accept a free item of a fencing token that nobody had: a break counts it up', () => {
    expect(messages(item(10, held), item(20, { fence: 6, rev: 11, last: 'zoe', broken: 'alice' }))).toEqual([]);
  });
});
