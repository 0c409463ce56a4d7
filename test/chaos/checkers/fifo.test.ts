import {
  exchange,
  fault,
  gone,
  grant,
  historyOf,
  invoke,
  item,
  ok,
  processStart,
  release,
  type Told,
  waiting,
} from '../told.ts';
import { fifo } from './fifo.ts';

const check = (...parts: Told[]) => fifo.check(historyOf(...parts));
const messages = (...parts: Told[]) => check(...parts).findings.map((each) => each.message);

// w1 holds; w2 stands in line from 320 on.
const holder = [...grant('w1.1', [0, 10], 1), ...release('w1.1', [1_000, 1_010])];

describe('first come, first served: who asks later', () => {
  const overtaken = grant('w2.1', [100, 1_500], 3, { waitingMs: 120 });

  it('accepts that the one who came first is served first', () => {
    const first = grant('w2.1', [100, 1_100], 2, { waitingMs: 120 });
    expect(check(holder, first, grant('w3.1', [321, 1_500], 3))).toEqual({ checked: 1, findings: [] });
  });

  it('finds that one who asked later is served first', () => {
    expect(messages(holder, overtaken, grant('w3.1', [321, 1_100], 2))).toEqual([
      'w3.1 asked 1.0 ms after w2.1 stood in line, and got fencing token 2; w2.1 got only fencing token 3',
    ]);
  });

  it('finds that an attempt that does not wait overtakes', () => {
    expect(messages(holder, overtaken, grant('w3.1', [1_020, 1_030], 2, { operation: 'tryLock' }))).toHaveLength(1);
  });

  it('accepts either order of two who asked about the same time', () => {
    expect(messages(holder, overtaken, grant('w3.1', [320, 1_100], 2))).toEqual([]);
  });

  it('accepts that who never had to wait says nothing about the line', () => {
    expect(check(holder, grant('w2.1', [100, 1_500], 3), grant('w3.1', [321, 1_100], 2)).checked).toBe(0);
  });

  it.each([
    ['froze', fault('freeze', 'w2', [400, 500])],
    ['was cut off with all others', fault('partition', 'the API', [400, 500], 'all')],
    ['was still recovering from a fault before its call', fault('partition', 'w2', [50, 90])],
    ['did not run', [{ type: 'stall', process: 'w2', fromMs: 400, atMs: 500 } as const]],
    [
      'asked a service that did not run',
      [processStart('api', 'service'), { type: 'stall', process: 'api', fromMs: 400, atMs: 500 } as const],
    ],
  ])('excuses that a waiter is late that %s', (_, fault) => {
    expect(messages(holder, overtaken, fault, grant('w3.1', [321, 1_100], 2))).toEqual([]);
  });

  it.each([
    ['another process', fault('freeze', 'w9', [400, 500])],
    ['it after its end', fault('freeze', 'w2', [1_501, 1_600])],
    ['it long before', fault('partition', 'w2', [-2_000, -901])],
  ])('does not excuse it for a fault that hit %s', (_, fault) => {
    expect(messages(holder, overtaken, fault, grant('w3.1', [321, 1_100], 2))).toHaveLength(1);
  });

  it('excuses a waiter whose provisional hold an administrator may have broken', () => {
    const broken = (op: string, lockId: string) => [
      invoke(op, 'break', 1_100, { fencingToken: 2 }, { lockId }),
      ok(op, 'break', 1_200, {}),
    ];
    expect(messages(holder, overtaken, broken('w9.1', 'a'), grant('w3.1', [321, 1_100], 2))).toEqual([]);
    expect(messages(holder, overtaken, broken('w9.1', 'b'), grant('w3.1', [321, 1_100], 2))).toHaveLength(1);
  });

  it('excuses who comes in at a place that its process had before', () => {
    const before = [...grant('w3.0', [20, 400], 2), ...release('w3.0', [500, 510])];
    const own = [...grant('w1.1', [0, 10], 1), ...release('w1.1', [50, 60])];
    expect(messages(own, before, overtaken, grant('w3.1', [450, 1_100], 2))).toEqual([]);
  });

  it('excuses a waiter behind another of its own process', () => {
    const front = [...grant('w2.0', [20, 1_100], 2, { waitingMs: 30 }), ...release('w2.0', [1_200, 1_210])];
    const behind = grant('w2.1', [100, 1_900], 4, { waitingMs: 120 });
    expect(messages(holder, front, behind, grant('w3.1', [321, 1_300], 3))).toEqual([]);
  });
});

describe('first come, first served: who waits in vain', () => {
  // Its time is over at 10,100.
  const inVain = [
    invoke('w2.1', 'timedTryLock', 100, { leaseMs: 2_000, waitMs: 10_000 }),
    waiting('w2.1', 120),
    ok('w2.1', 'timedTryLock', 10_200, { granted: false }),
  ];

  it('finds that another who came later was served while it stood there', () => {
    expect(messages(inVain, grant('w3.1', [321, 9_999], 2))).toEqual([
      'w3.1 asked 1.0 ms after w2.1 stood in line, and got fencing token 2; w2.1 got nothing',
    ]);
  });

  it('accepts it about the end of its time, or of who came before', () => {
    expect(messages(inVain, grant('w3.1', [321, 10_000], 2))).toEqual([]);
    expect(messages(inVain, grant('w3.1', [320, 9_999], 2))).toEqual([]);
  });
});

describe('first come, first served: lines that were seen', () => {
  const granted = (owner: string, atMs: number, fencingToken: number) =>
    exchange(owner, atMs, { kind: 'granted', fencingToken, isProvisional: false });
  const line = item(500, { owner: 'alice', queue: ['bob', 'carol'] });
  const served = (bobs: number, carols: number) => [
    ...grant('w2.1', [100, 1_500], bobs),
    ...grant('w3.1', [100, 1_500], carols),
    granted('bob', 1_400, bobs),
    granted('carol', 1_400, carols),
  ];

  it('accepts that they are served in their order', () => {
    expect(check(line, served(2, 3))).toEqual({ checked: 1, findings: [] });
  });

  it('finds that they are not', () => {
    expect(messages(line, served(3, 2))).toEqual([
      'w2.1 was seen in line before w3.1 and was served after it: fencing tokens 3 and 2',
    ]);
  });

  it('knows from a look who had which fencing token', () => {
    const looks = [item(1_400, { owner: 'bob', fence: 3 }), item(1_300, { owner: 'carol', fence: 2 })];
    expect(messages(line, looks, grant('w2.1', [100, 1_500], 3), grant('w3.1', [100, 1_500], 2))).toHaveLength(1);
  });

  it('excuses who was hit by a fault since it was seen there, though it asked later at its process’s place', () => {
    const late = [...grant('w2.1', [900, 1_500], 3), ...grant('w3.1', [100, 1_500], 2)];
    const replies = [granted('bob', 1_400, 3), granted('carol', 1_400, 2)];
    expect(messages(line, late, replies, fault('freeze', 'w2', [600, 700]))).toEqual([]);
    expect(messages(line, late, replies, fault('freeze', 'w3', [600, 700]))).toHaveLength(1);
  });

  it('says nothing of those whose grants nobody told of', () => {
    expect(check(line, served(3, 2).slice(0, -1)).checked).toBe(0);
    expect(messages(line, gone('w2', 900), served(3, 2))).toEqual([]);
  });
});
