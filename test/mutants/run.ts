import { join } from 'node:path';
import { optionsOf, runCommand, UsageError, wholeNumber } from '../support/command.ts';
import { equivalents, mutants } from './areas.ts';
import { type Hunted, hunt } from './hunt.ts';
import { row, summaryOf } from './table.ts';

// The command: `npm run mutants`.

const root = join(import.meta.dirname, '../..');
const usage = `Usage: npm run mutants -- [options]

Puts one deliberate fault after the other into a copy of the sources, and fails unless the test that is named beside it
notices each.

  --all              also those whose tests take long
  --only TEXT        those whose name or file holds the text
  --jobs N           how many are tried at once (default 2)
  --help             print this text

Exit code: 0 all were noticed, 1 one was not, 2 it could not begin or end.
`;

async function main(args: readonly string[]): Promise<number> {
  const values = optionsOf(args, {
    all: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
  });
  const jobs = wholeNumber('--jobs', values.jobs, 1);
  const asked = mutants.filter(({ name, file }) => name.includes(values.only) || file.includes(values.only));
  const chosen = asked.filter(({ slow }) => values.all || !slow);
  if (chosen.length === 0) {
    throw new UsageError(
      `--only: ${JSON.stringify(values.only)} is in no name and no file of the mutants that would be tried`,
    );
  }
  const onHunted = (hunted: Hunted) => process.stdout.write(row(hunted));
  const withinMs = values.all ? 300_000 : 60_000;
  const hunted = await hunt(root, chosen, { jobs, withinMs, onHunted });
  const summary = summaryOf(hunted, { left: asked.length - chosen.length, equivalents: equivalents.length });
  process.stdout.write(`\n${summary.text}\n`);
  return summary.exitCode;
}

runCommand({ what: 'hunt of mutants', usage, main });
