import { fault, grant, historyOf, type Told, unknown } from '../told.ts';
import { fences } from './fences.ts';

const messages = (...parts: Told[]) => fences.check(historyOf(...parts)).findings.map((each) => each.message);

describe('fences', () => {
  it('accepts growing fencing tokens, with gaps where operations of unknown outcome may have had some', () => {
    const history = historyOf(grant('w1.1', [0, 10], 5), unknown('w3.1', 15), grant('w2.1', [20, 30], 8));
    expect(fences.check(history)).toEqual({ checked: 2, findings: [] });
  });

  it('accepts grants that were asked for at the same time in either order of their answers', () => {
    expect(messages(grant('w1.1', [0, 30], 5), grant('w2.1', [10, 20], 6))).toEqual([]);
    expect(messages(grant('w1.1', [0, 20], 6), grant('w2.1', [20, 30], 5))).toEqual([]);
  });

  it('accepts the same fencing token for two locks', () => {
    expect(messages(grant('w1.1', [0, 10], 5), grant('w2.1', [20, 30], 5, { lockId: 'b' }))).toEqual([]);
  });

  it('finds a grant with a smaller fencing token than one that was answered before it was asked for', () => {
    const found = messages(grant('w1.1', [0, 10], 6), fault('kill', 'w1', [12, 12]), grant('w2.1', [20, 30], 5));
    expect(found).toEqual(['w2.1 was asked for after the grant of w1.1: fencing tokens 6 and 5']);
  });

  it('finds the smaller one however many grants lie in between', () => {
    const found = messages(grant('w1.1', [0, 10], 9), grant('w2.1', [5, 30], 8), grant('w3.1', [40, 50], 7));
    expect(found).toEqual(['w3.1 was asked for after the grant of w1.1: fencing tokens 9 and 7']);
  });

  it('finds two grants with one fencing token', () => {
    expect(messages(grant('w1.1', [0, 10], 5), grant('w2.1', [5, 30], 5))).toEqual([
      'w1.1 and w2.1 have the same fencing token: fencing tokens 5 and 5',
    ]);
  });
});
