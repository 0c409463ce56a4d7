import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tree } from './tree.ts';

/** What became of one test that was run. */
export interface TestResult {
  /** Path from the tree's root. */
  readonly file: string;
  /** With the names of what it is described by. */
  readonly name: string;
  readonly passed: boolean;
  readonly messages: readonly string[];
}

/** What a run of jest came to. */
export interface Run {
  readonly tests: readonly TestResult[];
  /** Why files did not run at all, such as a fault while they were loaded. */
  readonly broken: readonly string[];
}

/**
 * Runs the tests of these files whose names hold one of these texts.
 *
 * @param withinMs the run is ended when it takes longer: then there is no result
 */
export async function runTests(
  tree: Tree,
  files: readonly string[],
  names: readonly string[],
  { withinMs, workers }: { withinMs: number; workers: number },
): Promise<Run | 'out of time'> {
  const output = join(tree.folder, 'results.json');
  await rm(output, { force: true });
  const pattern = names.map(escaped).join('|');
  const jest = join(tree.folder, 'node_modules/jest/bin/jest.js');
  const parallel = workers === 1 ? ['--runInBand'] : [`--maxWorkers=${workers}`];
  const options = [
    '--ci',
    '--silent',
    '--no-color',
    '--json',
    `--outputFile=${output}`,
    `--testNamePattern=${pattern}`,
  ];
  // A process group of its own, so that what the tests start ends with it.
  const child = spawn(process.execPath, [jest, ...parallel, ...options, '--runTestsByPath', ...files], {
    cwd: tree.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, withinMs);
  // Before its copy of the project is removed, to which it writes.
  process.prependOnceListener('exit', end);
  await once(child, 'close');
  process.off('exit', end);
  clearTimeout(timer);
  if (isLate) return 'out of time';
  const text = await readFile(output, 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`jest did not run: ${printed}`);
  return runOf(JSON.parse(text) as Json, tree.folder);
}

interface Json {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function runOf({ testResults }: Json, folder: string): Run {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status, failureMessages }) => ({
        file: name.replace(`${folder}/`, ''),
        name: fullName,
        passed: status === 'passed',
        messages: failureMessages,
      })),
  );
  const broken = testResults.filter(({ assertionResults }) => assertionResults.length === 0);
  return { tests, broken: broken.map(({ message }) => message) };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
