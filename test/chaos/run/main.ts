import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkHistory } from '../checkers.ts';
import { indexedHistory } from '../indexed-history.ts';
import { readHistory } from '../read-history.ts';
import { report } from '../report.ts';
import { runChaos } from './chaos-run.ts';
import { runCommand } from './programs/run-command.ts';
import { summary } from './summary.ts';

const usage = `Usage: npm run chaos -- [options]

Runs workers, the API and its database in processes of their own under faults, and checks what they saw.

  --seconds N       how long there are faults (default 30)
  --seed S          of the faults and of what the workers do (default: by the clock)
  --beyond-margin   clocks differ by more than the margin: only fencing is promised then
  --keep DIR        keep the history in this folder
`;

async function main(): Promise<number> {
  // The AWS SDK's warning about this Node would stand between the lines.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '30' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      'beyond-margin': { type: 'boolean', default: false },
      keep: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const folder = values.keep ?? (await mkdtemp(join(tmpdir(), 'holdfast-chaos-')));
  if (values.keep !== undefined) await refuseUsed(values.keep);
  const run = await runChaos({
    seconds: wholeNumber('--seconds', values.seconds, 5),
    seed: wholeNumber('--seed', values.seed, 0),
    isBeyondMargin: values['beyond-margin'],
    folder,
    say: (text) => process.stderr.write(`${text}\n`),
  });
  const history = indexedHistory(readHistory(run.history));
  const verdict = checkHistory(history);
  process.stdout.write(`${summary(run, history)}\n\n${report(history, verdict)}\n`);
  const isFailed = verdict.findings.length > 0 || run.complaints.length > 0;
  const isKept = values.keep !== undefined || isFailed;
  if (isKept) process.stderr.write(`the history is in ${join(folder, 'history.jsonl')}\n`);
  else await rm(folder, { recursive: true, force: true });
  return isFailed ? 1 : 0;
}

// Another run's history and rows would be taken for this one's.
async function refuseUsed(folder: string): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  if (files.length > 0)
    throw new Error(`--keep must be a new or an empty folder, got ${folder} with ${files.length} files`);
}

function wholeNumber(name: string, text: string, min: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min) return number;
  throw new Error(`${name} must be a whole number from ${min}, got "${text}"`);
}

runCommand('chaos run', main);
