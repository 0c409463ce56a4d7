import { exchange, fault, grant, historyOf, invoke, item, type Told, unknown } from '../told.ts';
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

  describe('known from elsewhere', () => {
    const granted = (fencingToken: number, isProvisional = false) =>
      ({ kind: 'granted', fencingToken, isProvisional }) as const;
    const unheard = [
      invoke('w1.1', 'lock', 0, { leaseMs: 2_000 }),
      exchange('alice', 10, granted(5), { isDelivered: false }),
      unknown('w1.1', 1_000),
    ];

    it('finds a grant below one whose reply was lost, as its worker or a proxy sees it', () => {
      expect(messages(unheard, grant('w2.1', [3_990, 4_001], 3))).toEqual([
        'w2.1 was asked for after a reply of the service: fencing tokens 5 and 3',
      ]);
      expect(messages(unheard, exchange('bob', 4_000, granted(3)))).toEqual([
        'a reply of the service came after a reply of the service: fencing tokens 5 and 3',
      ]);
      expect(messages(unheard, grant('w2.1', [9, 4_001], 3))).toEqual([]);
      expect(messages(unheard, grant('w2.1', [3_990, 4_001], 6))).toEqual([]);
    });

    it('finds a grant below a stored one, and a stored one below a grant', () => {
      const stored = item(100, { fence: 9, rev: 9, owner: 'alice' });
      expect(messages(stored, grant('w2.1', [4_000, 4_001], 7))).toEqual([
        'w2.1 was asked for after a look at the stored item: fencing tokens 9 and 7',
      ]);
      expect(messages(stored, grant('w2.1', [100, 4_001], 7))).toEqual([]);
      expect(messages(grant('w2.1', [0, 10], 11), stored)).toHaveLength(1);
      expect(messages(item(100, { fence: 9, rev: 9 }, { lockId: 'b' }), grant('w2.1', [4_000, 4_001], 7))).toEqual([]);
    });

    it('finds an heir that was given a smaller one', () => {
      const heir = { operation: 'release', heir: 'carol' } as const;
      expect(messages(unheard, exchange('bob', 4_000, { kind: 'released', heirFencingToken: 4 }, heir))).toHaveLength(
        1,
      );
      expect(messages(unheard, exchange('bob', 4_000, { kind: 'released', heirFencingToken: 6 }, heir))).toEqual([]);
    });

    it('accepts that a waiter is told of a provisional grant by an old read', () => {
      expect(messages(unheard, exchange('bob', 4_000, granted(4, true), { operation: 'acquire' }))).toEqual([]);
    });
  });

  it('finds two grants with one fencing token', () => {
    expect(messages(grant('w1.1', [0, 10], 5), grant('w2.1', [5, 30], 5))).toEqual([
      'w1.1 and w2.1 have the same fencing token: fencing tokens 5 and 5',
    ]);
  });
});
