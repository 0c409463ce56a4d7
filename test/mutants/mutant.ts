import { parseSync } from '@swc/core';

/** A deliberate fault in one source file, and the test that has to notice it. */
export interface Mutant {
  /** What is wrong with it. */
  readonly name: string;
  /** What would come of it. */
  readonly why: string;
  /** Path from the project's root. */
  readonly file: string;
  /** Text that stands in the file once. */
  readonly find: string;
  readonly replace: string;
  readonly caughtBy: CaughtBy;
  /** Left out unless all are asked for, because its test takes about 10 s or more. */
  readonly slow?: true;
}

/** The test that has to fail. */
export interface CaughtBy {
  readonly file: string;
  /** Text that the names of the test and of what it is described by hold together. Several may: one has to fail. */
  readonly test: string;
  /** What the failure says where it comes from no `expect`: a checker's word, or what the product rejects with. */
  readonly says?: string;
}

/** A fault that no test can notice, for the reason that is given. It is not counted. */
export interface Equivalent {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly equivalent: string;
}

/** A mutant that is none, which says nothing about the tests. */
export class MutantError extends Error {
  override name = 'MutantError' as const;
}

/**
 * The source with the fault in it.
 *
 * @throws MutantError unless the text is there exactly once and the result is TypeScript
 */
export function mutated(source: string, { file, find, replace }: Pick<Mutant, 'file' | 'find' | 'replace'>): string {
  const times = find === '' ? 0 : source.split(find).length - 1;
  if (times !== 1) {
    throw new MutantError(
      `its text is in ${file} ${times} times and must be there once: the sources changed, so change the mutant: ${JSON.stringify(find)}`,
    );
  }
  // (A function, so that a `$` of the text stands for itself.)
  const result = source.replace(find, () => replace);
  if (result === source) throw new MutantError(`it changes nothing in ${file}`);
  try {
    parseSync(result, { syntax: 'typescript', target: 'es2022' });
  } catch (error) {
    throw new MutantError(`with it ${file} is no TypeScript: ${(error as Error).message}`);
  }
  return result;
}
