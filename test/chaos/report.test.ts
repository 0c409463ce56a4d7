import { around } from './around.ts';
import { checkHistory } from './checkers.ts';
import { eventLine } from './event-line.ts';
import { findingText, report } from './report.ts';
import {
  exchange,
  fail,
  fault,
  gone,
  grant,
  historyOf,
  invoke,
  item,
  look,
  lost,
  mark,
  processStart,
  release,
  renewed,
  unknown,
} from './told.ts';

// w2 and w3 hold together; w1 and w4 came before and after.
const history = historyOf(
  grant('w0.1', [0, 5], 1),
  release('w0.1', [10, 20]),
  grant('w1.1', [30, 40], 2),
  release('w1.1', [50, 60]),
  grant('w2.1', [61, 70], 3),
  look('w2.1', 71, true, 1_990),
  renewed('w2.1', 72),
  grant('w3.1', [71, 80], 4),
  grant('w8.1', [75, 85], 1, { lockId: 'b' }),
  fault('freeze', 'w2', [75, 200]),
  fault('freeze', 'w9', [76, 200]),
  release('w2.1', [300, 310]),
  release('w3.1', [90, 100]),
  grant('w4.1', [315, 320], 5),
  grant('w5.1', [400, 3_000], 6),
);
const verdict = checkHistory(history);
const finding = verdict.findings.find(({ rule }) => rule === 'exclusion');
if (!finding) throw new Error('two holders at once were not found');

describe('around a finding', () => {
  const told = around(history, finding);

  it('is what its lock did, from the last grant before it to the first after it', () => {
    const operations = told.flatMap((event) => ('op' in event ? [event.op] : []));
    expect(new Set(operations)).toEqual(
      new Set(['w1.1', 'w1.1-release', 'w2.1', 'w3.1', 'w2.1-release', 'w3.1-release', 'w4.1']),
    );
  });

  it('is which faults hit those that took part, and no others', () => {
    expect(told.flatMap((event) => (event.type === 'fault' ? [event.target] : []))).toEqual(['w2']);
  });

  it('leaves out looks and renewals that are not the finding', () => {
    expect(told.filter(({ type }) => type === 'look' || type === 'renewed')).toEqual([]);
    const [seen] = history.events.filter(({ type }) => type === 'look');
    const withLook = around(history, { ...finding, events: seen ? [...finding.events, seen] : [] });
    expect(withLook).toContain(seen);
  });

  it('is the events of a finding alone where it is about no lock', () => {
    const alone = { rule: 'residue', message: '', events: history.events.slice(-1) };
    expect(around(history, alone)).toEqual(alone.events);
  });
});

describe('the report', () => {
  it('counts operations, faults and findings, and tells every rule and figure', () => {
    const text = report(history, verdict);
    expect(text).toContain(`# Chaos run, seed 1: ${verdict.findings.length} findings`);
    expect(text).toMatch(/\| lock +\| 7 +\| 0 +\| 0 +\| 0 +\|/);
    expect(text).toMatch(/\| freeze +\| 2 +\|/);
    expect(text).toMatch(/\| exclusion +\| 7 +\| 1 +\|/);
    expect(text).toMatch(/\| liveness +\| 0: says nothing +\|/);
    expect(text).toContain('lost by the unfenced counter');
    expect(text).toContain('## Finding: exclusion of lock "a"');
  });

  it('ends with each finding in a line, and how many more there are', () => {
    const { findings } = verdict;
    const text = report(history, verdict);
    const lines = text.slice(text.indexOf('## In short')).split('\n').slice(2);
    expect(lines).toHaveLength(findings.length);
    expect(lines).toContain(`- exclusion of lock "a": ${finding.message}`);
    const many = Array.from({ length: 23 }, (_, place) => ({ rule: 'residue', message: `${place}`, events: [] }));
    expect(report(history, { ...verdict, findings: many })).toMatch(/\n- residue: 19\n- \(3 more\)$/);
  });

  it('says that every promise was kept, and nothing after the figures', () => {
    const right = historyOf(grant('w1.1', [0, 5], 1), release('w1.1', [10, 20]));
    const text = report(right, checkHistory(right));
    expect(text).toMatch(/^# Chaos run, seed 1: every promise kept\n/);
    expect(text).not.toContain('## In short');
  });

  it('does not say so of a run with complaints', () => {
    const right = historyOf(grant('w1.1', [0, 5], 1), release('w1.1', [10, 20]));
    const text = report(right, checkHistory(right), ['api1.1: it ended with SIGKILL']);
    expect(text).toMatch(/^# Chaos run, seed 1: 1 complaints\n/);
  });

  it('names the rules that had nothing to look at', () => {
    const [, , second] = report(history, verdict).split('\n\n');
    expect(second).toMatch(/^Had nothing to look at, and so says nothing: .*; liveness; recovery; residue; /);
    expect(second).not.toContain('exclusion');
  });

  it('shows three findings of a rule, and how many more there are', () => {
    const many = historyOf(
      ...[9, 8, 7, 6, 5].map((fence, place) => grant(`w${place}.1`, [10 * place, 10 * place + 5], fence)),
    );
    const text = report(many, checkHistory(many));
    expect(text.match(/## Finding: fences/g)).toHaveLength(3);
    expect(text).toContain('(1 more findings of "fences")');
  });

  it('marks the events that contradict one another, and keeps them when it leaves others out', () => {
    const others = Array.from({ length: 40 }, (_, place) => [
      invoke(`w7.${place}`, 'tryLock', 62, { leaseMs: 1 }),
      fail(`w7.${place}`, 63, { code: 'interrupted' }),
    ]);
    const crowded = historyOf(...history.events.slice(1), ...others);
    const text = findingText(crowded, finding);
    expect(text).toContain('more lines)');
    expect(text.split('\n').filter((line) => line.startsWith('>'))).toHaveLength(finding.events.length);
  });
});

describe('an event on one line', () => {
  const told = historyOf(grant('w1.1', [10, 20], 7, { waitingMs: 15 }));

  it.each([
    [told.run, '       0.0  run      run, seed 1'],
    [grant('w1.1', [10, 20], 7)[0], '      10.0  w1       lock w1.1 … leaseMs=2000 isRenewedByHand=false'],
    [grant('w1.1', [10, 20], 7)[1], 'lock w1.1 ok granted=true fencingToken=7 remainingMs=2000'],
    [grant('w1.1', [10, 20], 7, { waitingMs: 15 })[1], 'lock w1.1 waits'],
    [fail('w1.1', 30, { code: 'lease-lost', reason: 'broken' }), 'lock w1.1 failed: lease-lost, broken'],
    [unknown('w1.1', 30), 'lock w1.1 may have happened: lock-service'],
    [renewed('w1.1', 30), 'hold w1.1 (fencing token 7) renewed, 2000 ms left'],
    [lost('w1.1', 30, 'expired'), 'hold w1.1 (fencing token 7) lost: expired'],
    [look('w1.1', 30, true, 5), 'hold w1.1 (fencing token 7) is held, 5 ms left'],
    [look('w9.1', 30, false), 'hold w9.1 is not held'],
    [processStart('w1', 'embedded', 5), 'begins as embedded, its clock 5 ms ahead'],
    [gone('w1', 30), 'w1 is gone: killed'],
    [fault('freeze', 'w1', [30, 40])[0], 'begins: freeze of w1'],
    [fault('freeze', 'w1', [30, 40])[1], 'is over'],
    [mark('healed', 30), '── healed ──'],
    [item(30, null), 'item is not there'],
    [
      item(30, { owner: 'A', isProvisional: true, queue: ['B', 'C'] }),
      'provisionally of owner A, fencing token 1, rev 1, in line B C',
    ],
    [
      exchange('A', 30, { kind: 'lost', reason: 'absent' }, { copyOf: 'x', isDelivered: false }),
      'of owner A, copy of x → lost reason=absent (never delivered)',
    ],
    [{ type: 'stall', process: 'w1', fromMs: 10, atMs: 30 } as const, 'did not run for 20 ms'],
    [
      { type: 'clock', process: 'run', of: 'api', atMs: 30, clockOffsetMs: -5 } as const,
      'the clock of api is set -5 ms ahead',
    ],
    [
      { type: 'register', process: 'run', lockId: 'a', atMs: 30, sequence: 0, fencingToken: 0 } as const,
      'register: write 0 fencingToken=0',
    ],
    [{ type: 'counter', process: 'run', lockId: 'a', atMs: 30, value: 4 } as const, 'counter: 4'],
    [
      { type: 'leftovers', process: 'w1', atMs: 30, timers: 1, busySockets: 2 } as const,
      'has 1 timers and 2 busy sockets left',
    ],
  ])('tells what happened: %#', (event, text) => {
    expect(event && eventLine(event, told)).toContain(text);
  });
});
