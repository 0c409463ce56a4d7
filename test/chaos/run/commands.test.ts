import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../../support/until.ts';

// The commands as they are started, in a temporary folder of their own: what they say, and what they leave.

const root = join(__dirname, '..', '..', '..');
const commands = {
  chaos: 'test/chaos/run/main.ts',
  check: 'test/chaos/check.ts',
  soak: 'test/soak/main.ts',
  mutants: 'test/mutants/run.ts',
} as const;
const withinMs = 120_000;
let folder: string;
let started: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-commands-'));
  started = [];
});

afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

function start(command: keyof typeof commands, args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, commands[command]), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // tsx keeps what it has compiled in the temporary folder.
    env: { ...process.env, TMPDIR: folder, TSX_DISABLE_CACHE: '1' },
  });
  started.push(child);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  return {
    child,
    output: text(child.stdout),
    closed: once(child, 'close') as Promise<[code: number | null, signal: string | null]>,
    errors: () => errors,
  };
}

const left = () => readdirSync(folder).filter((name) => name.startsWith('holdfast-'));

/** The processes that run a program out of the temporary folder. */
function programs(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${folder}/holdfast-`) ? [Number(name)] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

describe('a command line that asks for what cannot be', () => {
  it.each([
    ['chaos', ['--seed', '99999999999999999999999'], '--seed must be a whole number from 0 to 9007199254740991'],
    ['chaos', ['--sead', '7'], "Unknown option '--sead'"],
    ['chaos', ['--keep', root], '--keep must be a new or an empty folder'],
    ['soak', ['--seed', '1.2'], '--seed must be a whole number'],
    ['mutants', ['--jobs', '0'], '--jobs must be a whole number from 1'],
    ['check', [], 'name the files'],
    ['check', [join(root, 'no-such-file')], 'the history cannot be read: ENOENT'],
    ['check', [join(root, 'package.json')], 'line 1 of the history is no event'],
  ] as const)(
    '%s %j is told so in a sentence with the usage after it, and nothing is left',
    async (command, args, sentence) => {
      const { closed, errors, output } = start(command, args);
      expect(await closed).toEqual([2, null]);
      expect(errors()).toContain(sentence);
      expect(errors()).toMatch(/^[^\n]+\n\nUsage: /);
      expect(errors()).not.toContain('    at ');
      expect(await output).toBe('');
      expect(left()).toEqual([]);
    },
    withinMs,
  );

  it(
    '--help says what can be',
    async () => {
      const { closed, output } = start('check', ['--help']);
      expect(await closed).toEqual([0, null]);
      expect(await output).toMatch(/^Usage: .*\n\n/);
    },
    withinMs,
  );
});

describe('a run that is cut short', () => {
  it(
    'by SIGTERM says its seed, and leaves no process and no folder',
    async () => {
      const { child, closed, errors } = start('chaos', ['--seed', '7']);
      await until('its programs run', () => programs().length >= 8);
      expect(errors()).toMatch(/^chaos run, seed 7, 30 s\n/);
      child.kill('SIGTERM');
      expect(await closed).toEqual([128 + constants.signals.SIGTERM, null]);
      expect(errors()).toContain('the chaos run, seed 7, was cut short by SIGTERM\n');
      await until('its programs are gone', () => programs().length === 0);
      expect(left()).toEqual([]);
    },
    withinMs,
  );

  it(
    'by SIGKILL leaves no process, and its folder',
    async () => {
      const { child, closed } = start('chaos', ['--seed', '7']);
      await until('its programs run', () => programs().length >= 8);
      child.kill('SIGKILL');
      expect(await closed).toEqual([null, 'SIGKILL']);
      await until('its programs are gone', () => programs().length === 0);
      expect(left()).toHaveLength(1);
    },
    withinMs,
  );

  it(
    'of a soak by SIGHUP leaves neither',
    async () => {
      const { child, closed, errors } = start('soak', ['--seed', '7']);
      await until('its database runs', () => programs().length >= 1);
      child.kill('SIGHUP');
      expect(await closed).toEqual([128 + constants.signals.SIGHUP, null]);
      expect(errors()).toContain('the soak, seed 7, was cut short by SIGHUP\n');
      await until('its database is gone', () => programs().length === 0);
      expect(left()).toEqual([]);
    },
    withinMs,
  );

  it(
    'of a hunt of mutants by SIGINT leaves neither its copies nor the tests that run in them',
    async () => {
      const { child, closed, errors } = start('mutants', ['--only', 'sdk/wire/owner-token']);
      await until('tests run in a copy', () => programs().length >= 1);
      child.kill('SIGINT');
      expect(await closed).toEqual([128 + constants.signals.SIGINT, null]);
      expect(errors()).toBe('the hunt of mutants was cut short by SIGINT\n');
      await until('its tests are gone', () => programs().length === 0);
      expect(left()).toEqual([]);
    },
    withinMs,
  );
});
