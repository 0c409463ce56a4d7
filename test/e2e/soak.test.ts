import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(__dirname, '..', '..');

async function soak(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/soak/main.ts', ...args], { cwd: root });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

it('a soak ends by itself, loses no addition, and tells what each process takes', async () => {
  const { code, stdout, stderr } = await soak('--minutes', '0.2', '--sample-seconds', '2', '--seed', '3');
  // Within seconds memory still grows, so the verdict may be either.
  expect([0, 1]).toContain(code);
  expect(stderr).toBe('soak, seed 3, 0.2 minutes\n');
  const [, inFile, done] = /^counter: (\d+) in the file, (\d+) additions done$/m.exec(stdout) ?? [];
  expect(Number(done)).toBeGreaterThan(0);
  expect(inFile).toBe(done);
  for (const process of ['worker 1', 'worker 3', 'embedded worker 1', 'API', 'database']) {
    for (const figure of ['resident MiB', 'sockets']) {
      expect(stdout).toMatch(new RegExp(`^\\| ${process} +\\| ${figure} +\\| [1-9]`, 'm'));
    }
  }
  expect(stdout).not.toContain('complaint');
}, 120_000);

it.each([
  [['--minutes', '0'], '--minutes must be a number above 0, got "0"'],
  [['--seed', 'x'], '--seed must be a whole number from 0 to 9007199254740991, got "x"'],
  [['--minutes', '1', '--sample-seconds', '11'], '--minutes must be six times --sample-seconds at least, got 1 and 11'],
])('a soak refuses %j', async (args, message) => {
  const { code, stderr } = await soak(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
