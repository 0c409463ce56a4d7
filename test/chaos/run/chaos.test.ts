import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

// Runs of whole processes under faults: `npm run chaos:ci`, apart from the rest.

const root = join(__dirname, '..', '..', '..');
// Long enough for a row to come to rest, be deleted, and be made again.
const seconds = 26;
// What a machine that is busy with other things gets done in that time, and far less than others do.
const grantsAtLeast = 5;
const withinMs = 240_000;

async function runChaos(seed: number) {
  const args = ['--import', 'tsx', join(__dirname, 'main.ts'), '--seconds', `${seconds}`, '--seed', `${seed}`];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { output, errors, code: code as number | null };
}

describe('a run of workers, APIs and a database under faults', () => {
  it.each([1, 2, 3])(
    'keeps every promise: seed %i',
    async (seed) => {
      const { output, errors, code } = await runChaos(seed);
      expect({ code, told: code === 0 ? '' : `${errors}\n${output}` }).toEqual({ code: 0, told: '' });
      expect(Number(/ (\d+) grants/.exec(output)?.[1])).toBeGreaterThanOrEqual(grantsAtLeast);
      expect(output).toMatch(/^faults: .*\d/m);
    },
    withinMs,
  );
});
