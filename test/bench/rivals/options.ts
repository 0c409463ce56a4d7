import { resolve } from 'node:path';
import { readArguments, UsageError } from '../usage-error.ts';
import type { Size } from './workload.ts';
import { type WorkloadName, workloadNames } from './workload-names.ts';

const databases = ['dynalite', 'dynamodb-local', 'both'] as const;

/** What the command line asks for. */
export interface Options {
  readonly database: (typeof databases)[number];
  readonly size: Size;
  readonly repetitions: number;
  readonly seed: number;
  /** Folder for the table, the JSON and the charts, from the root of the disk. */
  readonly out?: string;
  /** By name; all, where the command line names none. */
  readonly workloads: readonly WorkloadName[];
}

export const usage = `Usage: npm run bench -- [options] [workload…]

  --database D      dynalite (the default), dynamodb-local (needs Java), or both, one after the other
  --quick           fewer of everything
  --smoke           everything once, as little as shows that it runs: its figures say nothing
  --repetitions N   how often everything is repeated (5; 3 with --quick, 1 with --smoke)
  --seed N          for the order of what is compared (default: another one each time, which is printed)
  --out DIR         also writes table, JSON and charts there
  --help            prints this text

Workloads, all of them where none is named: ${workloadNames.join(', ')}.

HOLDFAST_TEST_DYNAMODB names another database, by its address.
`;

const usualRepetitions = { full: 5, quick: 3, smoke: 1 };

/**
 * Reads the command line.
 *
 * @param from the folder that a relative one is taken from
 * @throws UsageError for an option that there is not, and a value that is not allowed
 */
export function parseOptions(argv: readonly string[], from: string): Options {
  const { values, positionals } = readArguments({
    args: [...argv],
    allowPositionals: true,
    options: {
      database: { type: 'string', default: 'dynalite' },
      quick: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      repetitions: { type: 'string' },
      seed: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const size = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
  const database = databases.find((each) => each === values.database);
  if (!database) throw new UsageError(`--database must be one of ${databases.join(', ')}, got ${values.database}`);
  const unknown = positionals.filter((name) => !isWorkload(name));
  if (unknown.length > 0) {
    throw new UsageError(`a workload must be one of ${workloadNames.join(', ')}, got ${unknown.join(', ')}`);
  }
  return {
    database,
    size,
    repetitions: wholeNumber('--repetitions', values.repetitions, 1) ?? usualRepetitions[size],
    seed: wholeNumber('--seed', values.seed, 0) ?? Math.floor(Math.random() * 2 ** 32),
    ...(values.out !== undefined && { out: resolve(from, values.out) }),
    workloads: positionals.length > 0 ? positionals.filter(isWorkload) : workloadNames,
  };
}

function isWorkload(name: string): name is WorkloadName {
  return workloadNames.some((each) => each === name);
}

function wholeNumber(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= least && value < 2 ** 32) return value;
  throw new UsageError(`${option} must be a whole number from ${least} to ${2 ** 32 - 1}, got ${text}`);
}
