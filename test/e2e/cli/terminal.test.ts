import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LockFactory } from '../../../sdk/index.ts';
import {
  commandEnvironment,
  commandLine,
  isGroupAlive,
  killGroup,
  workFolder,
} from '../../support/holdfast-command.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { Terminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';

let stack: LocalStackProcess;
let locks: LockFactory;
let terminal: Terminal;

beforeAll(async () => {
  stack = await startLocalStack();
  locks = LockFactory.connect({ url: stack.url });
});
afterAll(() => stack.stop());
beforeEach(async () => {
  terminal = open();
  await terminal.run(
    'stty -echo; bind "set enable-bracketed-paste off" 2>/dev/null; holdfast() { ' +
      `${commandLine} "$@"; }; echo se""t`,
    /set/,
  );
});
afterEach(() => terminal.close());

const open = (env: Record<string, string> = {}) =>
  new Terminal({ cwd: workFolder, env: commandEnvironment({ url: stack.url, env }) });
const scriptOf = (name: string, text: string) => {
  const path = join(workFolder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
};
const dimmed = '\x1b[2m';

describe('a command that runs at a terminal', () => {
  it('reads what is typed, without being stopped for it', async () => {
    const script = scriptOf('reads', 'echo asks; read answer; echo "heard $answer"');
    await terminal.run(`holdfast run terminal -- ${script}`, /asks/);
    await terminal.run('something', /heard something/);
    await terminal.run('echo "code $?"', /code 0/);
  });

  it('gets Ctrl-C, all of it, once', async () => {
    const script = scriptOf(
      'interrupted',
      `trap 'echo got it; kill -KILL $!; exit 7' INT; sleep 60 & echo "group $$"; wait; wait`,
    );
    const [, group] = await terminal.run(`holdfast run terminal -- ${script}`, /group (\d+)/);
    terminal.type('\x03');
    await terminal.shows(/got it/);
    await terminal.run('echo "code $?"', /code 7/);
    expect(terminal.shown.match(/got it/g)).toHaveLength(1);
    expect(isGroupAlive(Number(group))).toBe(false);
  });

  it('is suspended by Ctrl-Z, and goes on with fg under its lease', async () => {
    const script = scriptOf('suspended', 'echo "group $$"; read line; echo "went on with $line"');
    const [, group] = await terminal.run(`holdfast run dozing --lease 1h -- ${script}`, /group (\d+)/);
    terminal.type('\x1a');
    await terminal.shows(/Stopped/);
    expect(isGroupAlive(Number(group))).toBe(true);
    expect((await locks.inspect('dozing')).state).toBe('held');
    await terminal.run('fg', /holdfast/);
    await terminal.run('typed', /went on with typed/);
    await terminal.run('echo "code $?"', /code 0/);
  });

  it('suspended past its lease is killed when it is continued, before it does anything', async () => {
    const script = scriptOf('overslept', 'echo "group $$"; while :; do sleep 0.2; done; echo woke');
    const [, group] = await terminal.run(`holdfast run overslept --lease 2s -- ${script}`, /group (\d+)/);
    terminal.type('\x1a');
    await terminal.shows(/Stopped/);
    const successor = locks.createLock('overslept');
    await successor.lock();
    await terminal.run('fg', /losing lock overslept \((expired|unreachable)\): SIGKILL/);
    await terminal.run('echo "code $?"', /code 76/);
    expect(isGroupAlive(Number(group))).toBe(false);
    await successor.unlock();
  });

  it('keeps the terminal for itself only with --foreground', async () => {
    const script = scriptOf('passphrase', '(: < /dev/tty) 2>/dev/null && echo has it || echo has none');
    await terminal.run(`holdfast run terminal -- ${script}`, /has none/);
    await terminal.run(`holdfast run terminal --foreground -- ${script}`, /has it/);
  });

  it('gets Ctrl-C in the foreground from the terminal, once, and its answer counts', async () => {
    const script = scriptOf(
      'foreground',
      `trap 'echo got it; kill -KILL $!; exit 8' INT; sleep 60 & echo begun; wait; wait`,
    );
    await terminal.run(`holdfast run terminal --foreground -- ${script}`, /begun/);
    terminal.type('\x03');
    await terminal.shows(/got it/);
    await terminal.run('echo "code $?"', /code 8/);
    expect(terminal.shown.match(/got it/g)).toHaveLength(1);
  });

  it('is ended in the foreground, too, when its lease is lost', async () => {
    const script = scriptOf('lost', 'echo begun; exec sleep 60');
    await terminal.run(`holdfast run lost --foreground --lease 2s -- ${script}`, /begun/);
    const { fencingToken = 0 } = await locks.inspect('lost');
    await locks.break('lost', { fencingToken });
    await terminal.shows(/\(broken\): SIGTERM/);
    await terminal.run('echo "code $?"', /code 76/);
  });

  it('is told that the terminal is gone', async () => {
    const script = scriptOf('hung-up', 'echo "group $$"; sleep 60');
    const [, group] = await terminal.run(`holdfast run hung-up -- ${script}`, /group (\d+)/);
    await terminal.close();
    await until('the command has ended', () => !isGroupAlive(Number(group))).finally(() => killGroup(Number(group)));
    await until('the lock is free', async () => (await locks.inspect('hung-up')).state === 'free');
  });
});

describe('a wait at a terminal', () => {
  it('shows for whom, at which place and how long, on one line that goes away', async () => {
    const lease = await locks.createLock('awaited', { holder: 'build 7' }).acquire();
    const other = LockFactory.connect({ url: stack.url }).createLock('awaited').acquire();
    await until('another stands in line', async () => (await locks.inspect('awaited')).waiters === 1);
    const from = terminal.shown.length;
    await terminal.run(
      'holdfast run awaited -- echo ra""n',
      /waiting for awaited, place 2 in line, held by build 7, \d+s/,
    );
    const line = terminal.shown.slice(from);
    expect(line).toContain(dimmed);
    expect(line.split('\n')).toHaveLength(1);
    await lease.release();
    await (await other).release();
    await terminal.shows(/ran/);
    expect(terminal.shown.slice(from)).toContain('\r\x1b[Kran');
  });

  it('has no colours with NO_COLOR, and nothing at a terminal that knows no escapes', async () => {
    const lease = await locks.createLock('plain', { holder: 'build 8' }).acquire();
    const from = terminal.shown.length;
    await terminal.run('NO_COLOR=1 holdfast run plain -- true', /waiting for plain/);
    expect(terminal.shown.slice(from)).not.toContain(dimmed);
    terminal.type('\x03');
    await terminal.run('echo "code $?"', /code 130/);
    const after = terminal.shown.length;
    await terminal.run('TERM=dumb holdfast run plain --wait 1s -- true', /did not come free/);
    expect(terminal.shown.slice(after)).not.toContain('waiting');
    await lease.release();
  });

  it('ends with Ctrl-C, the place given up', async () => {
    const lease = await locks.createLock('given up').acquire();
    await terminal.run("holdfast run 'given up' -- echo ran", /waiting for given up/);
    await until('it stands in line', async () => (await locks.inspect('given up')).waiters === 1);
    terminal.type('\x03');
    await terminal.run('echo "code $?"', /code 130/);
    expect((await locks.inspect('given up')).waiters).toBe(0);
    await lease.release();
  });
});

describe('break at a terminal', () => {
  it('shows the hold and asks: yes breaks it, and nothing else does', async () => {
    const lease = await locks.createLock('asked', { holder: 'build 9' }).acquire({ leaseMs: 600_000 });
    for (const answer of ['', 'n', 'nyes', '\x04']) {
      await terminal.run('holdfast break asked', /holder +build 9[\s\S]*\[y\/N\] /);
      await terminal.run(answer, /ready> /);
      await terminal.run('echo "code $?"', /code 75/);
    }
    await terminal.run('holdfast break asked', /\[y\/N\] /);
    await terminal.run('\x03', /ready> /);
    await terminal.run('echo "code $?"', /code 130/);
    await terminal.run('holdfast break asked --json', /\[y\/N\] /);
    await terminal.run('n', /"lockId":"asked","outcome":"declined"/);
    expect((await locks.inspect('asked')).state).toBe('held');
    await terminal.run(`holdfast break asked --fence ${lease.fencingToken - 1}`, /another hold than that/);
    await terminal.run('holdfast break asked', /\[y\/N\] /);
    await terminal.run('yes', /broke the hold of asked/);
    expect((await locks.inspect('asked')).state).toBe('free');
    await terminal.run('holdfast break asked; echo "code $?"', /nobody holds asked[\s\S]*code 75/);
  });
});
