import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../chaos/run/programs/run-command.ts';
import { soak } from './soak.ts';
import { verdictOn } from './verdict.ts';

// The command: `npm run soak`.

const usage = `Usage: npm run soak -- [options]

Lets processes use locks under faults for a long time, and fails when memory, sockets or timers grow, or an addition to a
counter under the lock is lost.

  --minutes N         how long, fractions too (default 60)
  --sample-seconds N  how often each process is looked at (default 15)
  --seed S            of the faults and of what the workers do (default: by the clock)
`;

async function main(): Promise<number> {
  // The AWS SDK's warning about this Node would stand between the lines.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      'sample-seconds': { type: 'string', default: '15' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const seconds = 60 * positive('--minutes', values.minutes);
  const sampleEverySeconds = positive('--sample-seconds', values['sample-seconds']);
  // Fewer samples have no first and last third.
  if (seconds < 6 * sampleEverySeconds) {
    throw new Error(
      `--minutes must be six times --sample-seconds at least, got ${values.minutes} and ${sampleEverySeconds}`,
    );
  }
  const seed = positive('--seed', values.seed);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-soak-'));
  try {
    const say = (text: string) => process.stderr.write(`${text}\n`);
    const result = await soak({ seconds, sampleEverySeconds, seed, folder, say });
    const { text, isGood } = verdictOn(result);
    const load = (loadavg()[0] ?? 0).toFixed(1);
    const facts = `Node ${process.version}; ${cpus().length} × ${cpus()[0]?.model.trim()}; load ${load}; seed ${seed}; ${values.minutes} minutes`;
    process.stdout.write(`${facts}\n\n${text}\n`);
    return isGood ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new Error(`${name} must be a number above 0, got "${text}"`);
}

runCommand('soak', main);
