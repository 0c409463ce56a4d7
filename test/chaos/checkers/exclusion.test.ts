import { fail, grant, historyOf, invoke, lost, ok, release, renewed, type Told, unknown } from '../told.ts';
import { exclusion } from './exclusion.ts';

const messages = (...parts: Told[]) => exclusion.check(historyOf(...parts)).findings.map((each) => each.message);

describe('exclusion', () => {
  const first = grant('w1.1', [0, 10], 1);

  it('accepts a grant from the moment at which the holder began to give the lock back', () => {
    expect(messages(first, release('w1.1', [500, 600]), grant('w2.1', [400, 500], 2))).toEqual([]);
  });

  it('finds a grant a little before that', () => {
    expect(messages(first, release('w1.1', [500, 600]), grant('w2.1', [400, 499], 2))).toEqual([
      'w1.1 (fencing token 1) and w2.1 (fencing token 2) both held the lock for 1.0 ms',
    ]);
  });

  it('accepts a grant from the deadline of a holder that was never heard of again, and finds one before', () => {
    expect(messages(first, grant('w2.1', [20, 2_010], 2))).toEqual([]);
    expect(messages(first, grant('w2.1', [20, 2_009], 2))).toHaveLength(1);
  });

  it('counts a deadline from the last renewal', () => {
    expect(messages(first, renewed('w1.1', 700), grant('w2.1', [20, 2_699], 2))).toHaveLength(1);
    expect(messages(first, renewed('w1.1', 700), grant('w2.1', [20, 2_700], 2))).toEqual([]);
  });

  it('accepts a grant after the lost signal, and finds one before', () => {
    expect(messages(first, lost('w1.1', 300, 'superseded'), grant('w2.1', [20, 300], 2))).toEqual([]);
    expect(messages(first, lost('w1.1', 300, 'superseded'), grant('w2.1', [20, 299], 2))).toHaveLength(1);
  });

  it('accepts a grant after an administrator took the lock, and finds one when the break was refused', () => {
    const broken = invoke('w3.1', 'break', 100, { fencingToken: 1 });
    const next = grant('w2.1', [20, 150], 2);
    expect(messages(first, broken, ok('w3.1', 'break', 200, {}), next)).toEqual([]);
    expect(messages(first, broken, next)).toEqual([]);
    expect(messages(first, broken, fail('w3.1', 200, { code: 'holder-changed' }), next)).toHaveLength(1);
  });

  it('counts on no break of a hold that was renewed after it', () => {
    const perhapsBroken = [invoke('w3.1', 'break', 100, { fencingToken: 1 }), unknown('w3.1', 110)];
    const next = grant('w2.1', [800, 810], 2);
    expect(messages(first, perhapsBroken, renewed('w1.1', 700), next)).toEqual([]);
    expect(messages(first, perhapsBroken, renewed('w1.1', 700), next, renewed('w1.1', 1_400))).toEqual([
      'w1.1 (fencing token 1) and w2.1 (fencing token 2) both held the lock for 590.0 ms',
    ]);
  });

  it('finds a holder inside a long hold that others came and went before', () => {
    const long = [grant('w1.1', [0, 10], 1), renewed('w1.1', 1_000, 5_000)].flat();
    const short = [...grant('w2.1', [0, 3_000], 2), ...release('w2.1', [3_010, 3_020])];
    expect(messages(long, short, grant('w3.1', [0, 4_000], 3))).toHaveLength(2);
  });

  it('keeps locks apart', () => {
    expect(messages(first, grant('w2.1', [20, 30], 2, { lockId: 'b' }))).toEqual([]);
  });
});
