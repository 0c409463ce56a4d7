import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scripts } from '../../package.json';

const root = join(__dirname, '../..');
const commands = Object.entries(scripts).filter(([name]) => /^(bench.*|costs|capacity)$/.test(name));

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

// As npm starts them, which tells them where it was called.
function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [, ...words] = command.split(' ');
  return new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, ...env } };
    execFile(process.execPath, [...words, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}

describe('every command of the benchmarks', () => {
  it('is seen', () => {
    expect(commands.map(([name]) => name)).toEqual(
      expect.arrayContaining(['bench', 'bench:waiting', 'bench:holding', 'bench:cold', 'costs', 'capacity']),
    );
    for (const [, command] of commands) expect(command).toMatch(/^node --import tsx test\/bench\//);
  });

  it.each(commands)('explains itself: %s', async (name, command) => {
    const { code, stdout, stderr } = await start(command, ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: npm run ${name}\\b`));
  });

  it.each(commands)(
    'refuses an option that there is not in one sentence, with its usage: %s',
    async (name, command) => {
      const { code, stdout, stderr } = await start(command, ['--nonsense']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      const [sentence, empty, usage] = stderr.split('\n');
      expect([sentence, empty]).toEqual(["Unknown option '--nonsense'", '']);
      expect(usage).toMatch(new RegExp(`^Usage: npm run ${name}\\b`));
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  it.each(['bench', 'bench:cold', 'costs'] as const)('refuses what it has nothing to do with: %s', async (name) => {
    const { code, stderr } = await start(scripts[name], ['nonsense']);
    expect(code).toBe(2);
    expect(stderr.split('\n')[0]).toMatch(
      /^(a part|a workload) must be one of .*, got nonsense$|^Unexpected argument 'nonsense'/,
    );
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('the folder of a report', () => {
  it('is looked at before anything is measured, from where the user stands', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    await writeFile(join(folder, 'there'), 'a file');
    const { code, stdout, stderr } = await start(scripts.bench, ['--smoke', '--out', 'there'], { INIT_CWD: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      `--out must be a folder that can be made and written to, got ${join(folder, 'there')} (EEXIST)`,
    );
    await rm(folder, { recursive: true });
  });
});
