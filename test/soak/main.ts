import { cpus, loadavg } from 'node:os';
import { killAllPrograms } from '../chaos/run/programs/program.ts';
import { optionsOf, positiveNumber, runCommand, UsageError, wholeNumber } from '../support/command.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { soak } from './soak.ts';
import { verdictOn } from './verdict.ts';

// The command: `npm run soak`.

const usage = `Usage: npm run soak -- [options]

Lets processes use locks under faults for a long time, and fails when memory, sockets or timers grow, or an addition to a
counter under the lock is lost.

  --minutes N         how long, fractions too (default 60)
  --sample-seconds N  how often each process is looked at (default 15)
  --seed S            of the faults and of what the workers do (default: by the clock)
  --help              print this text

Exit code: 0 nothing grew and nothing was lost, 1 something was, 2 it could not begin or end.
`;

async function main(args: readonly string[], named: (what: string) => void): Promise<number> {
  // The AWS SDK's warning about this Node would stand between the lines.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const values = optionsOf(args, {
    minutes: { type: 'string', default: '60' },
    'sample-seconds': { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  });
  const seconds = 60 * positiveNumber('--minutes', values.minutes);
  const sampleEverySeconds = positiveNumber('--sample-seconds', values['sample-seconds']);
  // Fewer samples have no first and last third.
  if (seconds < 6 * sampleEverySeconds) {
    throw new UsageError(
      `--minutes must be six times --sample-seconds at least, got ${values.minutes} and ${sampleEverySeconds}`,
    );
  }
  const seed = wholeNumber('--seed', values.seed, 0);
  named(`soak, seed ${seed},`);
  const say = (text: string) => process.stderr.write(`${text}\n`);
  say(`soak, seed ${seed}, ${values.minutes} minutes`);
  const temporary = new TemporaryFolder('holdfast-soak-');
  const folder = temporary.path;
  try {
    const result = await soak({ seconds, sampleEverySeconds, seed, folder, say });
    const { text, isGood } = verdictOn(result);
    const load = (loadavg()[0] ?? 0).toFixed(1);
    const facts = `Node ${process.version}; ${cpus().length} × ${cpus()[0]?.model.trim()}; load ${load}; seed ${seed}; ${values.minutes} minutes`;
    process.stdout.write(`${facts}\n\n${text}\n`);
    return isGood ? 0 : 1;
  } finally {
    temporary.remove();
  }
}

runCommand({ what: 'soak', usage, main, end: killAllPrograms });
