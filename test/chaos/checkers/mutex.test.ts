import type { Results } from '../operations.ts';
import { fail, fault, grant, historyOf, invoke, lost, ok, release, renewed, type Told, unknown } from '../told.ts';
import { mutex } from './mutex.ts';

const messages = (...parts: Told[]) => mutex.check(historyOf(...parts)).findings.map((each) => each.message);

function inspect(op: string, [fromMs, toMs]: readonly [number, number], seen: Omit<Results['inspect'], 'waiters'>) {
  return [invoke(op, 'inspect', fromMs, {}), ok(op, 'inspect', toMs, { waiters: 0, ...seen })];
}

describe('mutex: grants', () => {
  const first = grant('w1.1', [0, 10], 1);

  it('accepts a grant that may have come after the release before it, and finds one that cannot', () => {
    expect(messages(first, release('w1.1', [500, 600]), grant('w2.1', [400, 501], 2))).toEqual([]);
    expect(messages(first, release('w1.1', [500, 600]), grant('w2.1', [400, 499], 2))).toEqual([
      'w2.1 (fencing token 2) was granted 1.0 ms before the hold w1.1 (fencing token 1) could have ended',
    ]);
  });

  it('accepts a release of unknown outcome as an end, and none that failed', () => {
    const began = invoke('w1.2', 'release', 500, { hold: 'w1.1' });
    const next = grant('w2.1', [400, 700], 2);
    expect(messages(first, began, unknown('w1.2', 600), next)).toEqual([]);
    expect(messages(first, began, next)).toEqual([]);
    expect(messages(first, began, fail('w1.2', 600, { code: 'forbidden' }), next)).toHaveLength(1);
  });

  it('takes nothing for an end of a hold that was renewed after it', () => {
    const perhapsBroken = [invoke('w3.9', 'break', 100, { fencingToken: 1 }), unknown('w3.9', 110)];
    const perhapsReleased = [invoke('w1.2', 'release', 100, { hold: 'w1.1' }), unknown('w1.2', 200)];
    const next = grant('w2.1', [800, 810], 2);
    expect(messages(first, perhapsBroken, next)).toEqual([]);
    expect(messages(first, perhapsBroken, next, renewed('w1.1', 1_400, 1_400))).toEqual([]);
    expect(messages(first, perhapsBroken, next, renewed('w1.1', 1_400))).toEqual([
      'w2.1 (fencing token 2) was granted 590.0 ms before the hold w1.1 (fencing token 1) could have ended',
    ]);
    expect(messages(first, perhapsReleased, next, renewed('w1.1', 1_400))).toHaveLength(1);
  });

  it('takes no lost signal for an end, except where the holder then gives the lock back by itself', () => {
    const next = grant('w2.1', [20, 400], 2);
    expect(messages(first, lost('w1.1', 300, 'superseded'), next)).toHaveLength(1);
    expect(messages(first, lost('w1.1', 300, 'max-hold'), next)).toEqual([]);
  });

  it('follows the fencing tokens, not the order in which answers came', () => {
    const later = [...grant('w2.1', [0, 40], 1), ...release('w2.1', [41, 50])];
    const sooner = [...grant('w1.1', [0, 45], 2), ...release('w1.1', [46, 60])];
    expect(messages(later, sooner)).toEqual([]);
  });

  it('finds that grants do not fit in between although each fits with the one before', () => {
    // The second cannot have been before 500, so neither can the third.
    const second = [...grant('w2.1', [400, 700], 2), ...release('w2.1', [800, 900])];
    expect(messages(first, release('w1.1', [500, 600]), second, grant('w3.1', [300, 450], 3))).toHaveLength(1);
  });

  it('goes on after a fault with the rest', () => {
    const second = [...grant('w2.1', [20, 100], 2), ...release('w2.1', [200, 210])];
    expect(messages(first, second, grant('w3.1', [250, 300], 3))).toHaveLength(1);
  });
});

describe('mutex: looks', () => {
  const hold = [...grant('w1.1', [0, 10], 7), ...release('w1.1', [500, 600])];

  it.each([
    ['held while it is', [100, 110], { state: 'held', fencingToken: 7 }],
    ['held while it is being given back', [550, 560], { state: 'held', fencingToken: 7 }],
    ['free while it is being given back', [550, 560], { state: 'free', fencingToken: 7 }],
    ['free after it was given back', [610, 620], { state: 'free', fencingToken: 7 }],
    ['provisional before the grant was answered', [5, 20], { state: 'provisional', fencingToken: 7 }],
    ['a hold that nobody told of', [610, 620], { state: 'held', fencingToken: 9 }],
    ['nothing before the first grant', [0, 20], { state: 'free' }],
  ] as const)('accept %s', (_, times, seen) => {
    expect(messages(hold, inspect('w9.1', times, seen))).toEqual([]);
  });

  it.each([
    ['free during the hold', [100, 110], { state: 'free', fencingToken: 7 }, '"free" was seen during w1.1'],
    ['over during the hold', [100, 110], { state: 'over', fencingToken: 7 }, '"over" was seen during w1.1'],
    [
      'provisional after the grant',
      [100, 110],
      { state: 'provisional', fencingToken: 7 },
      '"provisional" was seen after',
    ],
    [
      'held after the release',
      [610, 620],
      { state: 'held', fencingToken: 7 },
      '"held" was seen after the release of w1.1',
    ],
    ['an older hold', [20, 30], { state: 'free', fencingToken: 6 }, 'fencing token 7 was known before 6'],
  ] as const)('find %s', (_, times, seen, what) => {
    expect(messages(hold, inspect('w9.1', times, seen))).toEqual([expect.stringContaining(what)]);
  });

  it('accept that a lease is over from its deadline on, for that is when another may take the lock, and not before', () => {
    const held = grant('w1.1', [0, 10], 7);
    expect(messages(held, inspect('w9.1', [2_000, 2_011], { state: 'over', fencingToken: 7 }))).toEqual([]);
    expect(messages(held, inspect('w9.1', [2_000, 2_010], { state: 'over', fencingToken: 7 }))).toHaveLength(1);
  });

  it('find that a hold lasts long after its lease, and accept it as long as a late renewal may have been applied', () => {
    const held = [...grant('w1.1', [0, 10], 7), invoke('w1.2', 'release', 100, { hold: 'w1.1' }), unknown('w1.2', 200)];
    // 2,011 its deadline, and then 1,000 to recover, 2,000 a lease, and 500 the margin.
    expect(messages(held, inspect('w9.1', [5_511, 5_520], { state: 'held', fencingToken: 7 }))).toEqual([]);
    expect(messages(held, inspect('w9.1', [5_512, 5_520], { state: 'held', fencingToken: 7 }))).toHaveLength(1);
    expect(messages(held, inspect('w9.1', [5_512, 5_520], { state: 'over', fencingToken: 7 }))).toEqual([]);
  });

  it('find a grant that has the fencing token of a look before it was asked for', () => {
    const seen = inspect('w9.1', [0, 10], { state: 'free', fencingToken: 7 });
    expect(messages(seen, grant('w1.1', [20, 30], 7))).toHaveLength(1);
    expect(messages(seen, grant('w1.1', [20, 30], 8))).toEqual([]);
  });

  describe('before a flow asked that inherits its place from one that gives up', () => {
    const first = [
      invoke('w1.1', 'timedTryLock', 0, { leaseMs: 2_000, waitMs: 300 }),
      ok('w1.1', 'timedTryLock', 300, { granted: false }),
    ];
    const seen = (state: Results['inspect']['state']) => inspect('w9.1', [100, 110], { state, fencingToken: 7 });
    const heir = grant('w1.2', [200, 400], 7);

    it.each(['provisional', 'held', 'over'] as const)('accept its grant as %s: the place had it already', (state) => {
      expect(messages(first, seen(state), heir)).toEqual([]);
    });

    it('find its grant where the lock was free, or another process, or nobody, had the place', () => {
      expect(messages(first, seen('free'), heir)).toHaveLength(1);
      expect(messages(first, seen('provisional'), grant('w2.1', [200, 400], 7))).toHaveLength(1);
      expect(messages(seen('provisional'), heir)).toHaveLength(1);
    });

    it('find an older grant', () => {
      expect(messages(first, seen('provisional'), grant('w1.2', [200, 400], 6))).toHaveLength(1);
    });
  });

  it('accept that a lock is not known any more after its row was deleted, and find that it is forgotten without', () => {
    const forgotten = inspect('w9.1', [900, 910], { state: 'free' });
    const other = inspect('w9.1', [900, 910], { state: 'free', fencingToken: 6 });
    const deleted = fault('deletion', 'a', [800, 810], []);
    expect(messages(hold, deleted, forgotten)).toEqual([]);
    expect(messages(hold, forgotten)).toHaveLength(1);
    expect(messages(hold, fault('deletion', 'b', [800, 810], []), forgotten)).toHaveLength(1);
    expect(messages(hold, deleted, other)).toHaveLength(1);
  });
});
