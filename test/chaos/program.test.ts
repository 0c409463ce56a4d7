import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { killAllPrograms, Program } from './run/programs/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-program-'));
let complaints: string[];
let files = 0;

beforeEach(() => {
  complaints = [];
});

afterEach(() => killAllPrograms());
afterAll(() => rmSync(folder, { recursive: true }));

function program(source: string) {
  const file = join(folder, `program${++files}.cjs`);
  writeFileSync(file, source);
  return new Program<{ kind: 'ready' }>({ file, complain: (text) => complaints.push(text) });
}

const lasting = "process.send({ kind: 'ready' }); setInterval(() => undefined, 1_000);";

describe('a program', () => {
  it('ends by itself when nothing keeps it, and is killed when something does', async () => {
    const ends = program('process.exitCode = 0;');
    expect(await ends.endsByItself(20_000)).toBe(true);
    // No timer and no request: something that is not counted as left over.
    const hangs = program(`require('node:fs').watch(${JSON.stringify(folder)}); process.send({ kind: 'ready' });`);
    await hangs.report('ready');
    expect(await hangs.endsByItself(100)).toBe(false);
    expect(hangs.isRunning).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('is complained of when it ends by an error, or by a signal that nobody sent', async () => {
    await program('process.exit(3);').exited();
    await program("process.kill(process.pid, 'SIGKILL'); setInterval(() => undefined, 1_000);").exited();
    expect(complaints).toEqual(['it ended with code 3:\n', 'it ended with SIGKILL:\n']);
  });

  it('is not complained of when it was killed on purpose', async () => {
    const killed = program(lasting);
    await killed.report('ready');
    await killed.kill();
    expect(complaints).toEqual([]);
  });

  it('is killed with all others, also when it is frozen', async () => {
    const [frozen, other] = [program(lasting), program(lasting)];
    await Promise.all([frozen.report('ready'), other.report('ready')]);
    frozen.freeze();
    killAllPrograms();
    await until('both are gone', () => !frozen.isRunning && !other.isRunning);
    expect(complaints).toEqual([]);
  });
});
