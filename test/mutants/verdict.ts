import type { Run, TestResult } from './jest-run.ts';
import type { CaughtBy } from './mutant.ts';

/** `invalid`: it could not be found out whether the test notices the fault, for this reason. */
export type Verdict =
  | { readonly kind: 'caught'; readonly test: string }
  | { readonly kind: 'survived' }
  | { readonly kind: 'invalid'; readonly reason: string };

// An `expect` of jest that did not hold, also inside a property of fast-check.
const byExpect = /\bexpect\(/;
// Faults of a mutant that is not well made: names that do not exist are found by no compiler here.
const illMade = /\bReferenceError: \S+ is not defined/;

/** What the run of a mutant's test says about it: it is caught by an assertion of that test, and by nothing else. */
export function verdictOf(run: Run | 'out of time', { file, test, says }: CaughtBy): Verdict {
  if (run === 'out of time') return { kind: 'invalid', reason: 'its test did not end in time' };
  const [broken] = run.broken;
  if (broken !== undefined) return { kind: 'invalid', reason: `its test did not run: ${shortened(broken)}` };
  const named = testsNamed(run, { file, test });
  if (named.length === 0) return { kind: 'invalid', reason: 'no test of that name was run' };
  const failed = named.filter(({ passed }) => !passed);
  if (failed.length === 0) return { kind: 'survived' };
  const caught = failed.find(({ messages }) => messages.some((message) => isAssertion(message, says)));
  if (caught) return { kind: 'caught', test: caught.name };
  return { kind: 'invalid', reason: `its test failed by no assertion: ${shortened(failed[0]?.messages[0] ?? '')}` };
}

/** What keeps a test from being one that could catch anything: without a fault it has to pass. */
export function faultWithoutMutant(run: Run, caughtBy: CaughtBy): string | undefined {
  const named = testsNamed(run, caughtBy);
  if (named.length === 0) return 'no test of that name was run';
  const failed = named.find(({ passed }) => !passed);
  return failed && `it fails without a fault, too: ${shortened(failed.messages[0] ?? '')}`;
}

function testsNamed({ tests }: Run, { file, test }: Pick<CaughtBy, 'file' | 'test'>): TestResult[] {
  return tests.filter((each) => each.file === file && each.name.includes(test));
}

function isAssertion(message: string, says: string | undefined): boolean {
  return !illMade.test(message) && (says === undefined ? byExpect.test(message) : message.includes(says));
}

function shortened(message: string): string {
  return message.trim().split('\n').slice(0, 4).join(' / ').slice(0, 400);
}
