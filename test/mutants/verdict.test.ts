import type { Run, TestResult } from './jest-run.ts';
import { faultWithoutMutant, verdictOf } from './verdict.ts';

const caughtBy = { file: 'a.test.ts', test: 'a lock is free' };
const passed: TestResult = { file: 'a.test.ts', name: 'the store: a lock is free', passed: true, messages: [] };
const failedBy = (...messages: string[]): TestResult => ({ ...passed, passed: false, messages });
const runOf = (...tests: TestResult[]): Run => ({ tests, broken: [] });
const byExpect = failedBy('Error: expect(received).toBe(expected)\n\nExpected: 1\nReceived: 2');

describe('the verdict about a mutant', () => {
  it.each<[string, Run]>([
    ['an expect of the named test', runOf(byExpect)],
    ['one of several tests of that name', runOf(passed, byExpect)],
    [
      'an expect inside a property',
      runOf(failedBy('Error: Property failed after 1 tests\nGot Error: expect(received)')),
    ],
    ['an expect about an error that says what a parser said', runOf(failedBy('expect(received): "SyntaxError: …"'))],
  ])('is "caught" by %s', (_, run) => {
    expect(verdictOf(run, caughtBy)).toEqual({ kind: 'caught', test: 'the store: a lock is free' });
  });

  it('is "survived" when the named test passes, whatever others do', () => {
    const others = [
      { ...byExpect, name: 'another' },
      { ...byExpect, file: 'b.test.ts' },
    ];
    expect(verdictOf(runOf(passed, ...others), caughtBy)).toEqual({ kind: 'survived' });
  });

  it.each<[string, Run | 'out of time', string]>([
    ['no test of that name was run', runOf({ ...byExpect, name: 'another' }), 'no test of that name was run'],
    ['its file could not be loaded', { tests: [], broken: ['SyntaxError: x'] }, 'its test did not run: SyntaxError: x'],
    ['the test threw something', runOf(failedBy('TypeError: x is not a function')), 'its test failed by no assertion'],
    [
      'the mutant names what is not there',
      runOf(failedBy('expect(x): ReferenceError: y is not defined')),
      'no assertion',
    ],
    ['the test timed out', runOf(failedBy('thrown: "Exceeded timeout of 5000 ms"')), 'its test failed by no assertion'],
    ['the run did not end', 'out of time', 'its test did not end in time'],
  ])('is "invalid" when %s', (_, run, reason) => {
    expect(verdictOf(run, caughtBy)).toEqual({ kind: 'invalid', reason: expect.stringContaining(reason) });
  });

  it('takes what a checker says instead, where that is named, and nothing else then', () => {
    const run = runOf(failedBy('Violation: two clients believe that they hold the lock'));
    expect(verdictOf(run, { ...caughtBy, says: 'two clients' }).kind).toBe('caught');
    expect(verdictOf(run, { ...caughtBy, says: 'the fence fell' }).kind).toBe('invalid');
    expect(verdictOf(run, caughtBy).kind).toBe('invalid');
  });
});

describe('a test that has to catch', () => {
  it('is there and passes without a fault', () => {
    expect(faultWithoutMutant(runOf(passed), caughtBy)).toBeUndefined();
    expect(faultWithoutMutant(runOf(), caughtBy)).toContain('no test of that name');
    expect(faultWithoutMutant(runOf(passed, byExpect), caughtBy)).toContain('fails without a fault');
  });
});
