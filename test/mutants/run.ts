import { join } from 'node:path';
import { parseArgs } from 'node:util';
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
`;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      all: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      jobs: { type: 'string', default: '2' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const asked = mutants.filter(({ name, file }) => name.includes(values.only) || file.includes(values.only));
  const chosen = asked.filter(({ slow }) => values.all || !slow);
  if (chosen.length === 0) {
    process.stderr.write(
      `--only: ${JSON.stringify(values.only)} is in no name and no file of the mutants that would be tried\n`,
    );
    return 2;
  }
  const onHunted = (hunted: Hunted) => process.stdout.write(row(hunted));
  const withinMs = values.all ? 300_000 : 60_000;
  const hunted = await hunt(root, chosen, { jobs: Number(values.jobs), withinMs, onHunted });
  const summary = summaryOf(hunted, { left: asked.length - chosen.length, equivalents: equivalents.length });
  process.stdout.write(`\n${summary.text}\n`);
  return summary.exitCode;
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
void main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
