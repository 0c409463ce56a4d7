import { parseArgs } from 'node:util';
import { leastRestMs } from './service/sweeping.ts';

/** What the command line asks of the sweep. */
export interface SweepOptions {
  readonly table: string;
  readonly region: string;
  readonly olderThanMs: number;
  readonly dryRun: boolean;
}

const dayMs = 24 * 60 * 60 * 1_000;
const leastDays = leastRestMs / dayMs;

/** The text of `--help`. */
export const sweepUsage = `Usage, in a clone of the repository: npm run sweep -- --table T --region R [options]

Removes the items of locks that nobody has held or waited for since long ago. For tables without a time to live, which
are those of several Regions: others do it by themselves. Locks may be used meanwhile. Needs dynamodb:Scan and
dynamodb:DeleteItem on the table, and reads all of it; each removal is one write.

  --table T         name of the table
  --region R        its Region; of several, any one
  --older-than Nd   how many days a lock must have been at rest, at least ${leastDays} (default 30d)
  --dry-run         remove nothing, only say which locks would go
  --help            print this text

Exit code: 0, or 1 when it could not go on, or left something alone that is not an item of a lock.
`;

/** @throws Error for anything that it does not understand */
export function parseSweepOptions(argv: readonly string[]): SweepOptions | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      table: { type: 'string' },
      region: { type: 'string' },
      'older-than': { type: 'string', default: '30d' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const { table, region } = values;
  if (!table) throw new Error('--table must be the name of the table, got nothing');
  if (!region) throw new Error('--region must be the Region of the table, got nothing');
  const days = /^(\d{1,5})d$/.exec(values['older-than'])?.[1];
  if (days === undefined || Number(days) < leastDays) {
    throw new Error(
      `--older-than must be a whole number of days, at least ${leastDays}, such as 30d, got "${values['older-than']}"`,
    );
  }
  return { table, region, olderThanMs: Number(days) * dayMs, dryRun: values['dry-run'] };
}
