import { parseArgs } from 'node:util';
import type { Size } from './workload.ts';

const databases = ['dynalite', 'dynamodb-local', 'both'] as const;

/** What the command line asks for. */
export interface Options {
  readonly database: (typeof databases)[number];
  readonly size: Size;
  readonly repetitions: number;
  readonly seed: number;
  /** Folder for the table, the JSON and the charts. */
  readonly out?: string;
  /** By name; all, where the command line names none. */
  readonly workloads: readonly string[];
}

export const usage = `Usage: npm run bench -- [options] [workload…]

  --database D      dynalite (the default), dynamodb-local (needs Java), or both, one after the other
  --quick           fewer of everything
  --smoke           everything once, as little as shows that it runs: its figures say nothing
  --repetitions N   how often everything is repeated (5; 3 with --quick, 1 with --smoke)
  --seed N          for the order of what is compared (default: another one each time, which is printed)
  --out DIR         also writes table, JSON and charts there
  --help            prints this text

HOLDFAST_TEST_DYNAMODB names another database, by its address.
`;

const usualRepetitions = { full: 5, quick: 3, smoke: 1 };

/**
 * Reads the command line.
 *
 * @param known names of the workloads that there are
 * @throws RangeError for a value that is not allowed, TypeError for an option that there is not
 */
export function parseOptions(argv: readonly string[], known: readonly string[]): Options | 'help' {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      database: { type: 'string', default: 'dynalite' },
      quick: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      repetitions: { type: 'string' },
      seed: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const size = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
  const database = databases.find((each) => each === values.database);
  if (!database) throw new RangeError(`--database must be one of ${databases.join(', ')}, got ${values.database}`);
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new RangeError(`a workload must be one of ${known.join(', ')}, got ${unknown.join(', ')}`);
  }
  return {
    database,
    size,
    repetitions: wholeNumber('--repetitions', values.repetitions, 1) ?? usualRepetitions[size],
    seed: wholeNumber('--seed', values.seed, 0) ?? Math.floor(Math.random() * 2 ** 32),
    ...(values.out !== undefined && { out: values.out }),
    workloads: positionals.length > 0 ? positionals : known,
  };
}

function wholeNumber(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= least && value < 2 ** 32) return value;
  throw new RangeError(`${option} must be a whole number from ${least} to ${2 ** 32 - 1}, got ${text}`);
}
