import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LockFactory } from '../../../sdk/index.ts';
import { type FaultyProxy, lockOperation, startFaultyProxy } from '../../support/faulty-proxy.ts';
import { HoldfastCommand, isGroupAlive, workFolder } from '../../support/holdfast-command.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { until } from '../../support/until.ts';

let stack: LocalStackProcess;
let proxy: FaultyProxy;
// As another machine, whose network is well.
let locks: LockFactory;

beforeAll(async () => {
  stack = await startLocalStack();
  proxy = await startFaultyProxy(stack.url, lockOperation);
  locks = LockFactory.connect({ url: stack.url });
});
afterEach(() => proxy.setRule());
afterAll(async () => {
  await proxy.stop();
  await stack.stop();
});

const run = (lockId: string, script: string, lease = '3s') =>
  new HoldfastCommand(['run', lockId, '--lease', lease, '--', 'sh', '-c', `echo $$; ${script}`], {
    url: proxy.endpoint,
  });
const blackHole = () => proxy.setRule(() => 'swallow');
const ignoresTerm = `trap '' TERM; (trap '' TERM; sleep 60) & sleep 60; sleep 60`;

describe('a network that answers nothing any more', () => {
  it('ends the whole group before anybody else can have the lock, also one that ignores TERM', async () => {
    const command = run('silence', ignoresTerm);
    const group = await command.started();
    const successor = locks.createLock('silence').lock();
    blackHole();
    await successor;
    expect(isGroupAlive(group)).toBe(false);
    expect(await command.result()).toMatchObject({
      code: 76,
      errors: expect.stringMatching(
        /losing lock silence \(its deadline is near\): SIGTERM.*\n(.*\n)*.*\(unreachable\): SIGKILL to the command\n/,
      ),
    });
  });

  it('leaves a command that heeds TERM the time to end well', async () => {
    const command = run('last word', `trap 'echo last word; exit 0' TERM; while :; do sleep 1; done`);
    await command.started();
    blackHole();
    await command.printed(/last word/);
    expect(await command.result()).toMatchObject({ code: 76, errors: expect.not.stringContaining('SIGKILL') });
  });

  it('ends the group in time although nobody reads what it says', async () => {
    // The pipe is full, so that whoever writes into it in the ordinary way waits for ever.
    const script = `echo $$; (timeout 60 yes >&2) & trap '' TERM; sleep 60`;
    const pipe = join(workFolder, 'unread');
    execFileSync('mkfifo', [pipe]);
    const unread = openSync(pipe, 'r+');
    const command = new HoldfastCommand(['run', 'unread', '--lease', '3s', '--', 'sh', '-c', script], {
      url: proxy.endpoint,
      stdio: ['pipe', 'pipe', unread],
    });
    const group = await command.started();
    const successor = locks.createLock('unread').lock();
    blackHole();
    await successor;
    expect(isGroupAlive(group)).toBe(false);
    expect(await command.ended()).toBe(76);
    closeSync(unread);
  });

  it('does nothing to a command that ends by itself in time', async () => {
    const command = run('in time', 'sleep 0.2; exit 4', '1h');
    await command.started();
    blackHole();
    const { code, errors } = await command.result();
    expect([code, errors]).toEqual([4, expect.stringContaining('could not be given back')]);
  });
});

describe('a lease that the service says is lost', () => {
  it('ends the command at once with TERM, and with KILL when that does not help', async () => {
    const command = run('taken', ignoresTerm);
    const group = await command.started();
    const { fencingToken = 0 } = await locks.inspect('taken');
    await locks.break('taken', { fencingToken });
    expect(await command.result()).toMatchObject({
      code: 76,
      errors: expect.stringMatching(/\(broken\): SIGTERM to the command\n.*\(broken\): SIGKILL to the command\n/),
    });
    expect(isGroupAlive(group)).toBe(false);
  });

  it('has an exit code that can be changed', async () => {
    const args = ['run', 'taken', '--lease', '1s', '--lost-exit-code', '42', '--', 'sh', '-c', 'echo $$; sleep 60'];
    const command = new HoldfastCommand(args, { url: stack.url });
    await command.started();
    const { fencingToken = 0 } = await locks.inspect('taken');
    await locks.break('taken', { fencingToken });
    expect((await command.result()).code).toBe(42);
  });
});

describe('the command frozen past its lease', () => {
  it('kills the group at once when it goes on, without a TERM before', async () => {
    const command = run('frozen', `trap 'echo asked to end' TERM; while :; do sleep 1; done`, '1s');
    const group = await command.started();
    command.send('SIGSTOP');
    await locks.createLock('frozen').lock();
    command.send('SIGCONT');
    expect(await command.result()).toMatchObject({
      code: 76,
      output: expect.not.stringContaining('asked to end'),
      errors: expect.stringMatching(/losing lock frozen \((expired|unreachable)\): SIGKILL/),
    });
    expect(isGroupAlive(group)).toBe(false);
  });

  it('goes on as if nothing had been when it is continued within its lease', async () => {
    const command = run('dozing', 'sleep 0.5; echo done', '1h');
    await command.started();
    command.send('SIGSTOP');
    await until('it is stopped', () => /\) T /.test(readFileSync(`/proc/${command.pid}/stat`, 'utf8')));
    command.send('SIGCONT');
    expect(await command.result()).toMatchObject({ code: 0, output: expect.stringContaining('done'), errors: '' });
  });
});

describe('the command killed', () => {
  it('leaves the lock to others after its lease, and what it ran runs on', async () => {
    const command = run('orphan', 'sleep 60', '1s');
    const group = await command.started();
    command.send('SIGKILL');
    expect(await command.ended()).toBe('SIGKILL');
    await locks.createLock('orphan').lock();
    expect(isGroupAlive(group)).toBe(true);
  });

  it('takes a command along that asked for it, with setpriv', async () => {
    const script = 'echo $$; exec sleep 60';
    const args = ['run', 'tied', '--', 'setpriv', '--pdeathsig', 'KILL', 'sh', '-c', script];
    const command = new HoldfastCommand(args, { url: stack.url });
    const group = await command.started();
    command.send('SIGKILL');
    await until('the command is gone, too', () => !isGroupAlive(group));
  });
});
