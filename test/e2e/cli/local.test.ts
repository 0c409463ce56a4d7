import { closeSync, openSync } from 'node:fs';
import { HoldfastCommand, holdfast } from '../../support/holdfast-command.ts';

describe('local', () => {
  it('runs the whole service, as npm start does, until it is asked to stop', async () => {
    const stack = new HoldfastCommand(['local', '--port', '0']);
    const [, url = ''] = await stack.printed(/^Holdfast is ready on (\S+)\n[\s\S]*Ctrl-C/);
    expect(await holdfast(['run', 'x', '--', 'echo', 'ran'], { url })).toEqual({
      code: 0,
      output: 'ran\n',
      errors: '',
    });
    stack.send('SIGINT');
    expect(await stack.result()).toMatchObject({ code: 0, errors: '' });
  });

  it('shows its options under its own name', async () => {
    const { code, output } = await holdfast(['local', '--help']);
    expect([code, output]).toEqual([0, expect.stringMatching(/^Usage: holdfast local \[options\]\n[\s\S]*--data DIR/)]);
  });

  it('says what to install where the package is missing that keeps locks on disk', async () => {
    expect(await holdfast(['local', '--port', '0', '--data', 'data'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(
        /^holdfast: --data needs the package classic-level.*npm install classic-level.*\n$/,
      ),
    });
  });

  it('refuses what it does not know', async () => {
    expect(await holdfast(['local', '--prot', '1'])).toMatchObject({
      code: 64,
      errors: expect.stringContaining("Unknown option '--prot'"),
    });
  });
});

describe('the command', () => {
  it('says with an exit code of its own that its help cannot be printed', async () => {
    for (const args of [['--help'], ['run', '--help'], ['--version']]) {
      const full = openSync('/dev/full', 'w');
      expect(await holdfast(args, { stdio: ['ignore', full, 'pipe'] })).toMatchObject({
        code: 74,
        errors: expect.stringMatching(/^holdfast: the output cannot be written: ENOSPC[^\n]*\n$/),
      });
      closeSync(full);
    }
  });

  it('shows where the command stands that is to run', async () => {
    for (const args of [['--help'], ['run', '--help']]) {
      expect((await holdfast(args)).output).toContain('run <lockId> [options] -- command [args...]');
    }
  });

  it('prints its version, its help and examples', async () => {
    expect((await holdfast(['--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { code, output, errors } = await holdfast(['--help']);
    expect([code, errors]).toEqual([0, '']);
    for (const name of ['run', 'try', 'acquire', 'renew', 'release', 'inspect', 'list', 'break', 'local']) {
      expect(output).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    }
    expect(output).toContain('holdfast run nightly-report --no-wait -- ./report.sh');
  });

  it.each(['run', 'try', 'acquire', 'renew', 'release', 'inspect', 'list', 'break'])('explains %s', async (name) => {
    const { code, output } = await holdfast([name, '--help']);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^Usage: holdfast ${name} [\\s\\S]*--service-exit-code`)),
    ]);
  });
});
