import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..');

it('the demo counts all increments with the lock, loses some without, and ends by itself', async () => {
  const demo = promisify(execFile)(process.execPath, ['--import', 'tsx', 'sdk/examples/demo/demo.ts'], {
    cwd: root,
    timeout: 150_000,
  });
  const { stdout } = await demo;
  expect(stdout).toMatch(/^with the lock +300 +300 +0 /m);
  expect(stdout).toMatch(/^without the lock +300 +\d+ +[1-9]\d* /m);
  expect(stdout).toMatch(/fencing token \d+ → \d+/);
  expect(stdout.match(/^ok /gm)).toHaveLength(4);
  expect(stdout).not.toContain('WRONG');
}, 160_000);
