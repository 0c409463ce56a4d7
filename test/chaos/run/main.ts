import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { optionsOf, runCommand, UsageError, wholeNumber } from '../../support/command.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';
import { checkHistory } from '../checkers.ts';
import { indexedHistory } from '../indexed-history.ts';
import { readHistory } from '../read-history.ts';
import { report } from '../report.ts';
import { type ChaosRun, runChaos } from './chaos-run.ts';
import { killAllPrograms } from './programs/program.ts';
import { summary } from './summary.ts';

const usage = `Usage: npm run chaos -- [options]

Runs workers, the API and its database in processes of their own under faults, and checks what they saw.

  --seconds N       how long there are faults, from 5 on (default 30)
  --seed S          of the faults and of what the workers do (default: by the clock)
  --beyond-margin   clocks differ by more than the margin: only fencing is promised then
  --keep DIR        keep the history in this folder, a new or an empty one
  --help            print this text

Exit code: 0 every promise was kept, 1 one was not, 2 it could not begin or end.
`;

const say = (text: string) => process.stderr.write(`${text}\n`);

async function main(args: readonly string[], named: (what: string) => void): Promise<number> {
  // The AWS SDK's warning about this Node would stand between the lines.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const values = optionsOf(args, {
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'beyond-margin': { type: 'boolean', default: false },
    keep: { type: 'string' },
  });
  const seconds = wholeNumber('--seconds', values.seconds, 5);
  const seed = wholeNumber('--seed', values.seed, 0);
  const isBeyondMargin = values['beyond-margin'];
  if (values.keep !== undefined) await refuseUsed(values.keep);
  const what = `chaos run, seed ${seed}${isBeyondMargin ? ', --beyond-margin' : ''},`;
  named(what);
  say(`${what} ${seconds} s`);
  const temporary = values.keep === undefined ? new TemporaryFolder('holdfast-chaos-') : undefined;
  const folder = temporary?.path ?? values.keep ?? '';
  const tellWhere = () => {
    temporary?.keep();
    say(`the history is in ${join(folder, 'history.jsonl')}`);
  };
  let run: ChaosRun;
  try {
    run = await runChaos({ seconds, seed, isBeyondMargin, folder, say });
  } catch (error) {
    temporary?.keep();
    say(`what was told until then is in ${folder}`);
    throw error;
  }
  const history = indexedHistory(readHistory(run.history));
  const verdict = checkHistory(history);
  process.stdout.write(`${summary(run, history)}\n\n${report(history, verdict, run.complaints)}\n`);
  const isFailed = verdict.findings.length > 0 || run.complaints.length > 0;
  if (isFailed || values.keep !== undefined) tellWhere();
  return isFailed ? 1 : 0;
}

// Another run's history and rows would be taken for this one's.
async function refuseUsed(folder: string): Promise<void> {
  if (folder === '') throw new UsageError('--keep must be a folder, got ""');
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new UsageError(`--keep must be a new or an empty folder, got ${folder}, which is none: ${error.code}`);
  });
  if (files.length > 0) {
    throw new UsageError(`--keep must be a new or an empty folder, got ${folder} with ${files.length} files`);
  }
}

runCommand({ what: 'chaos run', usage, main, end: killAllPrograms });
