import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, median, ms } from './figures.ts';
import type { Part } from './part.ts';
import { StackProcess } from './processes.ts';

const root = join(__dirname, '..', '..');
const bundle = join(root, 'dist/cli/holdfast.mjs');
const mostTimes = 1.5;

// The least that a program of one's own does; it waits for its lock as the command does.
const program = `
  import { LockFactory } from ${JSON.stringify(join(root, 'dist/sdk/index.mjs'))};
  const lock = LockFactory.fromEnv().createLock('bench/program');
  await lock.lock();
  await lock.unlock();
`;

/** How long `holdfast run x -- true` takes, beside a Node process that locks and unlocks by the SDK, one after the other. */
export const startUp: Part = async ({ quick }) => {
  if (!existsSync(bundle)) throw new Error('there is no dist/cli: npm run build');
  const runs = quick ? 5 : 40;
  const stack = await StackProcess.start();
  const programs = {
    command: [bundle, 'run', 'bench/command', '--', 'true'],
    program: ['--input-type=module', '-e', program],
    version: [bundle, '--version'],
    nothing: ['-e', '0'],
  };
  const tookMs = { command: [] as number[], program: [] as number[], version: [] as number[], nothing: [] as number[] };
  // The first of each loads files that the others find in memory.
  for (let run = -1; run < runs; run++) {
    for (const [name, args] of Object.entries(programs)) {
      const lasted = await durationOf(args, stack.url);
      if (run >= 0) tookMs[name as keyof typeof tookMs].push(lasted);
    }
  }
  await stack.kill();
  const times = median(tookMs.command) / median(tookMs.program);
  const figure = (what: string, each: readonly number[]): Figure => ({
    figure: what,
    measured: `${ms(median(each))} median (least ${ms(Math.min(...each))}, ${each.length} runs)`,
  });
  return [
    {
      figure: 'holdfast run x -- true: times as long as a program that locks and unlocks',
      target: `≤ ${mostTimes}`,
      measured: times.toFixed(2),
      met: times <= mostTimes,
    },
    figure('holdfast run x -- true', tookMs.command),
    figure('a program that imports the SDK, locks and unlocks', tookMs.program),
    figure('holdfast --version', tookMs.version),
    figure('a program that does nothing', tookMs.nothing),
  ];
};

async function durationOf(args: readonly string[], url: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], HOLDFAST_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${code}`);
  return performance.now() - startedMs;
}
