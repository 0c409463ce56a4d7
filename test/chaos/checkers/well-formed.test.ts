import {
  gone,
  grant,
  historyOf,
  invoke,
  look,
  lost,
  ok,
  release,
  renewed,
  type Told,
  unknown,
  waiting,
} from '../told.ts';
import { wellFormed } from './well-formed.ts';

const messages = (...parts: Told[]) => wellFormed.check(historyOf(...parts)).findings.map((each) => each.message);

describe('history', () => {
  const hold = grant('w1.1', [0, 10], 1, { waitingMs: 5 });
  const begun = invoke('w2.1', 'lock', 0, { leaseMs: 2_000 });

  it('accepts operations that began, some of which never ended', () => {
    const history = historyOf(
      hold,
      renewed('w1.1', 15),
      look('w1.1', 16, true),
      release('w1.1', [20, 30]),
      begun,
      gone('w2', 5),
    );
    expect(wellFormed.check(history)).toEqual({ checked: 10, findings: [] });
  });

  it('accepts what is told of a hold whose worker was killed before it could tell of the grant', () => {
    expect(messages(begun, lost('w2.1', 5))).toEqual([]);
  });

  it('finds an operation that begins or ends twice', () => {
    expect(messages(begun, begun)).toEqual(['the operation w2.1 begins twice']);
    expect(messages(hold, unknown('w1.1', 20))).toEqual(['the operation w1.1 ends twice']);
  });

  it.each([
    ['its end', unknown('w2.1', 20)],
    ['its wait', waiting('w2.1', 20)],
    ['a renewal of its hold', renewed('w2.1', 20)],
    ['a look at its hold', look('w2.1', 20, true)],
    ['the loss of its hold', lost('w2.1', 20)],
    ['what is done under its hold', invoke('w1.2', 'unfencedAdd', 20, { hold: 'w2.1' })],
  ])('finds %s of an operation that never began', (_, event) => {
    expect(messages(event)).toEqual(['the operation w2.1 is named, and never began']);
  });

  it('finds an end before the beginning, or of another kind', () => {
    expect(messages(grant('w1.1', [20, 10], 1))).toEqual(['the operation w1.1 ends before it begins']);
    expect(messages(begun, ok('w2.1', 'inspect', 10, { state: 'free', waiters: 0 }))).toEqual([
      'the operation w2.1 begins as lock and ends as inspect',
    ]);
  });
});
