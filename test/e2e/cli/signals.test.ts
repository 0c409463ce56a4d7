import { LockFactory } from '../../../sdk/index.ts';
import { type FaultyProxy, lockOperation, startFaultyProxy } from '../../support/faulty-proxy.ts';
import { HoldfastCommand, isGroupAlive } from '../../support/holdfast-command.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { until } from '../../support/until.ts';

let stack: LocalStackProcess;
let proxy: FaultyProxy;
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

const run = (lockId: string, script: string) =>
  new HoldfastCommand(['run', lockId, '--lease', '10s', '--', 'sh', '-c', `echo $$; ${script}`], {
    url: proxy.endpoint,
  });

describe('a signal while the command runs', () => {
  it.each(['HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2', 'WINCH'])(
    'SIG%s is passed on to it, and its answer counts',
    async (name) => {
      const command = run(
        'signals',
        `trap 'echo got ${name}; kill -KILL $!; exit 9' ${name}; sleep 60 & echo ready; wait; wait`,
      );
      await command.started();
      await command.printed(/ready/);
      command.send(`SIG${name}` as NodeJS.Signals);
      expect(await command.result()).toMatchObject({
        code: 9,
        output: expect.stringContaining(`got ${name}`),
      });
      expect((await locks.inspect('signals')).state).toBe('free');
    },
  );

  it('that ends it is in the exit code, and reaches all that it started', async () => {
    const command = run('signals', 'sleep 60 & sleep 60; true');
    const group = await command.started();
    command.send('SIGTERM');
    expect((await command.result()).code).toBe(143);
    expect(isGroupAlive(group)).toBe(false);
  });

  it('reaches what the command left behind, too: interrupted again, it is asked to end', async () => {
    // What a shell runs in the background ignores SIGINT.
    const command = run('left behind', '(exec >&- 2>&-; sleep 60) & exit 3');
    const group = await command.started();
    await until('the command has ended', () => command.errors.includes('the command has ended (code 3)'));
    command.send('SIGINT');
    expect((await command.result()).code).toBe(3);
    expect(isGroupAlive(group)).toBe(false);
  });

  it('that it ignores changes nothing: the lock is held on', async () => {
    const command = run('stubborn', `trap '' INT TERM; echo ready; sleep 60`);
    await command.started();
    await command.printed(/ready/);
    command.send('SIGINT');
    command.send('SIGTERM');
    command.send('SIGINT');
    const { expiresAt = '' } = await locks.inspect('stubborn');
    await until(
      'it is renewed',
      async () => Date.parse((await locks.inspect('stubborn')).expiresAt ?? '') > Date.parse(expiresAt) + 2_000,
    );
    command.send('SIGQUIT');
    expect((await command.result()).code).toBe(131);
  });

  it('which comes twice does not keep the lock from being released', async () => {
    const command = run('twice', 'sleep 60');
    await command.started();
    const held = proxy.setTrap('release', 'hold-reply');
    command.send('SIGINT');
    await held.struck;
    command.send('SIGINT');
    command.send('SIGTERM');
    held.passOn();
    expect(await command.result()).toMatchObject({ code: 130, errors: '' });
    expect((await locks.inspect('twice')).state).toBe('free');
  });
});

describe('a signal while nothing is waited for', () => {
  it.each([
    ['SIGUSR1', 138],
    ['SIGUSR2', 140],
  ] as const)('%s ends it, and opens no port for debuggers', async (signal, code) => {
    const held = proxy.setTrap('looked-at', 'hold');
    const looking = new HoldfastCommand(['inspect', 'looked-at'], { url: proxy.endpoint });
    await held.struck;
    looking.send(signal);
    expect(await looking.result()).toEqual({ code, output: '', errors: '' });
  });
});

describe('a signal while it waits', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGUSR1', 138],
    ['SIGUSR2', 140],
  ] as const)('%s gives the place in line up at once: exit code %d', async (signal, code) => {
    const lease = await locks.createLock('awaited').acquire();
    const command = run('awaited', 'echo ran');
    await until('it stands in line', async () => (await locks.inspect('awaited')).waiters === 1);
    command.send(signal);
    expect(await command.result()).toEqual({ code, output: '', errors: '' });
    expect((await locks.inspect('awaited')).waiters).toBe(0);
    await lease.release();
    expect((await locks.inspect('awaited')).state).toBe('free');
  });

  it('does so for try and acquire, and leaves no lease file', async () => {
    const lease = await locks.createLock('awaited').acquire();
    const command = new HoldfastCommand(['acquire', 'awaited', '--lease-file', 'none'], { url: proxy.endpoint });
    await until('it stands in line', async () => (await locks.inspect('awaited')).waiters === 1);
    command.send('SIGINT');
    expect(await command.result()).toEqual({ code: 130, output: '', errors: '' });
    expect((await locks.inspect('awaited')).waiters).toBe(0);
    await lease.release();
  });

  it('ends it soon although nothing answers, and the second at once', async () => {
    for (const signals of [1, 2]) {
      const before = proxy.counts.get('try') ?? 0;
      proxy.setRule(() => 'swallow');
      const command = run(`silence ${signals}`, 'echo ran');
      await until('it has asked', () => (proxy.counts.get('try') ?? 0) > before);
      const sentMs = performance.now();
      for (let sent = 0; sent < signals; sent++) command.send('SIGINT');
      expect(await command.result()).toMatchObject({ code: 130, output: '' });
      // A hang guard: unanswered requests go on for 25 s.
      expect(performance.now() - sentMs).toBeLessThan(15_000);
    }
  });
});
