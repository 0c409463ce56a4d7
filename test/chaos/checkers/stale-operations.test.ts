import {
  exchange,
  fault,
  grant,
  historyOf,
  invoke,
  item,
  lost,
  ok,
  processStart,
  release,
  type Told,
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
