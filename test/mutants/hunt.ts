import { runTests } from './jest-run.ts';
import { type Mutant, MutantError, mutated } from './mutant.ts';
import { Tree } from './tree.ts';
import { faultWithoutMutant, type Verdict, verdictOf } from './verdict.ts';

export interface Hunted {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  readonly seconds: number;
}

export interface HuntOptions {
  /** How many mutants are tried at once, each in a copy of its own. */
  readonly jobs: number;
  /** The longest that one may take, milliseconds: a guard against hanging. */
  readonly withinMs: number;
  readonly onHunted?: (hunted: Hunted) => void;
}

/**
 * Tries each mutant: puts its fault into a copy of the project and runs the test that has to notice. The tests are run
 * without any fault first, for one that fails anyway notices nothing.
 */
export async function hunt(root: string, mutants: readonly Mutant[], options: HuntOptions): Promise<Hunted[]> {
  const { jobs, onHunted } = options;
  const trees = await Promise.all(Array.from({ length: jobs }, () => Tree.copyOf(root)));
  try {
    const useless = await faultsWithoutMutants(trees[0] as Tree, mutants, options);
    const hunted: Hunted[] = [];
    const left = [...mutants];
    const work = async (tree: Tree) => {
      for (let mutant = left.shift(); mutant; mutant = left.shift()) {
        const startedMs = performance.now();
        const reason = useless.get(mutant);
        const verdict: Verdict = reason ? { kind: 'invalid', reason } : await tryOne(tree, mutant, options);
        const one = { mutant, verdict, seconds: (performance.now() - startedMs) / 1_000 };
        hunted.push(one);
        onHunted?.(one);
      }
    };
    await Promise.all(trees.map(work));
    return hunted;
  } finally {
    for (const tree of trees) tree.remove();
  }
}

async function faultsWithoutMutants(
  tree: Tree,
  mutants: readonly Mutant[],
  { jobs, withinMs }: HuntOptions,
): Promise<ReadonlyMap<Mutant, string>> {
  const files = [...new Set(mutants.map(({ caughtBy }) => caughtBy.file))];
  const names = [...new Set(mutants.map(({ caughtBy }) => caughtBy.test))];
  const run = await runTests(tree, files, names, { withinMs: withinMs * files.length, workers: jobs });
  if (run === 'out of time') throw new Error('the tests did not end in time, without any fault in the sources');
  if (run.broken.length > 0) throw new Error(`tests do not run, without any fault: ${run.broken.join('\n')}`);
  return new Map(
    mutants.flatMap((mutant) => {
      const fault = faultWithoutMutant(run, mutant.caughtBy);
      return fault === undefined ? [] : [[mutant, fault]];
    }),
  );
}

async function tryOne(tree: Tree, mutant: Mutant, { withinMs }: HuntOptions): Promise<Verdict> {
  const { file, caughtBy } = mutant;
  const source = await tree.read(file);
  try {
    await tree.write(file, mutated(source, mutant));
    const run = await runTests(tree, [caughtBy.file], [caughtBy.test], { withinMs, workers: 1 });
    return verdictOf(run, caughtBy);
  } catch (error) {
    if (error instanceof MutantError) return { kind: 'invalid', reason: error.message };
    throw error;
  } finally {
    await tree.write(file, source);
  }
}
