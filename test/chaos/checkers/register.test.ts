import type { HistoryEvent } from '../history.ts';
import { fail, historyOf, invoke, ok, type Told, unknown } from '../told.ts';
import { register } from './register.ts';
import { unfencedCounter } from './unfenced-counter.ts';

const messages = (...parts: Told[]) => register.check(historyOf(...parts)).findings.map((each) => each.message);

function begun(op: string, fencingToken: number, atMs: number): HistoryEvent {
  return invoke(op, 'fencedWrite', atMs, { hold: 'w0.0', fencingToken, value: `value of ${op}` });
}

function written(op: string, fencingToken: number, sequence: number, [fromMs, toMs]: readonly [number, number]) {
  return [begun(op, fencingToken, fromMs), ok(op, 'fencedWrite', toMs, { sequence })];
}

function refused(op: string, fencingToken: number, [fromMs, toMs]: readonly [number, number]) {
  return [begun(op, fencingToken, fromMs), fail(op, toMs, { code: 'refused' })];
}

function left(sequence: number, fencingToken: number, writer: string): HistoryEvent {
  return {
    type: 'register',
    process: 'run',
    lockId: 'a',
    atMs: 9_000,
    sequence,
    fencingToken,
    value: `value of ${writer}`,
  };
}

describe('register', () => {
  const two = [...written('w1.1', 1, 1, [0, 10]), ...written('w2.1', 2, 2, [20, 30])];

  it('accepts writes in the order of their fencing tokens, and what they left', () => {
    const history = historyOf(two, written('w2.2', 2, 3, [40, 50]), left(3, 2, 'w2.2'));
    expect(register.check(history)).toEqual({ checked: 3, findings: [] });
  });

  it('finds that an older fencing token was accepted after a newer one', () => {
    expect(messages(two, written('w1.2', 1, 3, [40, 50]))).toEqual([
      'an older fencing token was accepted after a newer one: 1 after 2',
    ]);
  });

  it('finds that acknowledged writes are missing in the end', () => {
    expect(messages(two, left(1, 1, 'w1.1'))).toEqual(['write 2 was acknowledged, and the register holds 1 writes']);
  });

  it('finds two writes that were acknowledged as the same', () => {
    expect(messages(two, written('w3.1', 3, 2, [40, 50]))).toContain('two writes were acknowledged as number 2');
  });

  it('finds that a write came before one that was acknowledged when it began', () => {
    expect(messages(written('w1.1', 1, 2, [0, 10]), written('w2.1', 1, 1, [20, 30]))).toEqual([
      'write 1 began when write 2 was acknowledged',
    ]);
  });

  it('accepts that a write of unknown outcome was the last, and finds a value that nobody wrote', () => {
    const open = [begun('w3.1', 3, 40), unknown('w3.1', 50)];
    expect(messages(two, open, left(3, 3, 'w3.1'))).toEqual([]);
    expect(messages(two, open, left(2, 2, 'w2.1'))).toEqual([]);
    expect(messages(two, begun('w3.1', 3, 40), left(3, 3, 'w3.1'))).toEqual([]);
    expect(messages(two, open, left(3, 3, 'w2.1'))).toHaveLength(1);
    expect(messages(two, left(2, 2, 'w1.1'))).toHaveLength(1);
  });

  it('finds more writes than there can have been', () => {
    expect(messages(two, left(3, 2, 'w2.1'))).toEqual([
      'the register accepted 3 writes, and there were 2 acknowledged and 0 of unknown outcome',
    ]);
  });

  it('accepts that a write is refused when a newer one may have come before, and finds a refusal without one', () => {
    expect(messages(two, refused('w1.2', 1, [40, 50]))).toEqual([]);
    expect(messages(written('w1.1', 1, 1, [0, 10]), begun('w2.1', 2, 45), refused('w1.2', 1, [40, 50]))).toEqual([]);
    expect(messages(two, refused('w2.2', 2, [40, 50]))).toEqual([
      'fencing token 2 was refused, and no newer one had been written',
    ]);
    expect(messages(begun('w2.1', 2, 55), refused('w1.2', 1, [40, 50]))).toHaveLength(1);
  });
});

describe('unfenced counter', () => {
  const added = (op: string) => [invoke(op, 'unfencedAdd', 0, { hold: 'w0.0' }), ok(op, 'unfencedAdd', 10, {})];
  const shows = (value: number): HistoryEvent => ({ type: 'counter', process: 'run', lockId: 'a', atMs: 9_000, value });

  it.each([
    ['what is missing of the acknowledged additions', 3, '1 of 4 acknowledged additions (25.00 %)'],
    ['nothing when unacknowledged ones count too', 5, '0 of 4 acknowledged additions (0.00 %)'],
  ])('tells %s', (_, value, told) => {
    const { figures, findings } = unfencedCounter.check(
      historyOf(...['w1.1', 'w1.2', 'w2.1', 'w2.2'].map(added), shows(value)),
    );
    expect(findings).toEqual([]);
    expect(figures).toEqual([{ name: 'lost by the unfenced counter', value: told }]);
  });

  it('says nothing about a counter that nobody looked at', () => {
    expect(unfencedCounter.check(historyOf(added('w1.1'))).checked).toBe(0);
  });
});
