import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LockFactory } from '../../../sdk/index.ts';
import { type FaultyProxy, lockOperation, startFaultyProxy } from '../../support/faulty-proxy.ts';
import { HoldfastCommand, holdfast, isGroupAlive, workFolder } from '../../support/holdfast-command.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { until } from '../../support/until.ts';

let stack: LocalStackProcess;
let proxy: FaultyProxy;
let locks: LockFactory;
let url: string;
let closedUrl: string;

beforeAll(async () => {
  stack = await startLocalStack();
  proxy = await startFaultyProxy(stack.url, lockOperation);
  locks = LockFactory.connect({ url: stack.url });
  url = stack.url;
  const closed = await startFaultyProxy(stack.url);
  await closed.stop();
  closedUrl = closed.endpoint;
});
afterEach(() => proxy.setRule());
afterAll(async () => {
  await proxy.stop();
  await stack.stop();
});

const stateOf = async (lockId: string) => (await locks.inspect(lockId)).state;

describe('run', () => {
  it.each(['a b/c d', 'ключ/🔒', '-dash', '--', '"quoted" $(id)', ' '])(
    'holds the lock %j while its command runs, and releases it',
    async (lockId) => {
      const script =
        'echo $$; echo "$HOLDFAST_LOCK_ID"; echo $HOLDFAST_FENCING_TOKEN; echo $HOLDFAST_DEADLINE; read line; exit 7';
      const args = lockId.startsWith('-') ? ['run', '--', lockId, '--'] : ['run', lockId, '--'];
      const command = new HoldfastCommand([...args, 'sh', '-c', script], { url, stdio: ['ignore', 'pipe', 'pipe'] });
      const [, , told, fence, deadline] = await command.printed(/^(\d+)\n(.*)\n(\d+)\n(\S+)\n/);
      // Its input is empty, so it may have ended by now.
      expect(told).toBe(lockId);
      expect((await locks.inspect(lockId)).fencingToken).toBe(Number(fence));
      expect(new Date(deadline ?? '').toISOString()).toBe(deadline);
      expect(await command.result()).toMatchObject({ code: 7, errors: '' });
      expect(await stateOf(lockId)).toBe('free');
    },
  );

  it('keeps everybody else out as long as its command runs, beyond the length of the lease', async () => {
    const gate = join(workFolder, 'gate');
    const script = `echo $$; while ! test -e ${gate}; do sleep 0.05; done`;
    const command = new HoldfastCommand(['run', 'kept', '--lease', '1s', '--', 'sh', '-c', script], { url });
    await command.started();
    const first = (await locks.inspect('kept')).expiresAt ?? '';
    await until(
      'it was renewed',
      async () => Date.parse((await locks.inspect('kept')).expiresAt ?? '') > Date.parse(first) + 1_000,
    );
    expect(await locks.createLock('kept').tryLock()).toBe(false);
    writeFileSync(gate, '');
    expect((await command.result()).code).toBe(0);
  });

  it('passes input and output through, byte for byte', async () => {
    const input = randomBytes(3_000_000);
    const command = new HoldfastCommand(['run', 'bytes', '--', 'sh', '-c', 'cat; echo fault >&2'], { url, input });
    expect(await command.result()).toMatchObject({ code: 0, errors: 'fault\n' });
    expect(command.bytes.equals(input)).toBe(true);
  });

  it('passes every argument on as it is, and takes none of them for its own', async () => {
    const args = ['--wait', '--', '-x', '', '*', '$HOME', 'a b', '--json', 'é'];
    const { code, output } = await holdfast(
      ['run', 'arguments', '--', process.execPath, '-p', 'JSON.stringify(process.argv.slice(1))', '--', ...args],
      { url },
    );
    expect([code, JSON.parse(output)]).toEqual([0, args]);
  });

  it('gives its command closed streams as empty ones', async () => {
    const stdio = ['ignore', 'ignore', 'ignore'] as const;
    const command = new HoldfastCommand(['run', 'closed', '--', 'sh', '-c', 'cat && echo a && echo b >&2'], {
      url,
      stdio: [...stdio],
    });
    expect(await command.ended()).toBe(0);
  });

  it('exits with 128 and the signal that ended its command', async () => {
    expect(await holdfast(['run', 'killed', '--', 'sh', '-c', 'kill -KILL $$'], { url })).toMatchObject({ code: 137 });
    expect(await stateOf('killed')).toBe('free');
  });

  it('exits with 127 for a command that is not there, and 126 for one that cannot be executed', async () => {
    expect(await holdfast(['run', 'missing', '--', 'no-such-command-here'], { url })).toEqual({
      code: 127,
      output: '',
      errors: 'holdfast: no-such-command-here: command not found\n',
    });
    const file = join(workFolder, 'not-executable');
    writeFileSync(file, 'echo', { mode: 0o600 });
    for (const path of [file, workFolder]) {
      expect(await holdfast(['run', 'missing', '--', path], { url })).toMatchObject({
        code: 126,
        errors: expect.stringContaining('cannot be executed'),
      });
    }
    expect(await stateOf('missing')).toBe('free');
  });

  it('keeps the lock until everything that its command started has ended, and exits with the command’s code', async () => {
    const script = 'echo $$; (exec >&- 2>&-; sleep 30) & exit 3';
    const command = new HoldfastCommand(['run', 'left', '--lease', '1s', '--', 'sh', '-c', script], { url });
    const group = await command.started();
    await until('it says so', () => command.errors.includes('the command has ended (code 3), what it started runs on'));
    expect(await stateOf('left')).toBe('held');
    command.send('SIGTERM');
    expect((await command.result()).code).toBe(3);
    expect(isGroupAlive(group)).toBe(false);
    expect(await stateOf('left')).toBe('free');
  });

  it('keeps the lock while threads run of a process whose first thread has ended, which is shown as a zombie', async () => {
    // The system call "exit" ends the thread alone.
    const threads = `threads->create(sub { sleep 30 })->detach; syscall(${process.arch === 'arm64' ? 93 : 60}, 0)`;
    const isZombie = 'grep -q "^State:.Z" /proc/$!/status';
    const script = `echo $$; perl -Mthreads -e '${threads}' >&- 2>&- & until ${isZombie}; do :; done; exit 3`;
    const command = new HoldfastCommand(['run', 'threads', '--', 'sh', '-c', script], { url });
    const group = await command.started();
    await until('it says so', () => command.errors.includes('the command has ended (code 3), what it started runs on'));
    expect(isGroupAlive(group)).toBe(true);
    expect(await stateOf('threads')).toBe('held');
    command.send('SIGTERM');
    expect((await command.result()).code).toBe(3);
    expect(isGroupAlive(group)).toBe(false);
    expect(await stateOf('threads')).toBe('free');
  });
});

describe('a lock that is held', () => {
  const holding = async (lockId: string) => locks.createLock(lockId, { holder: 'somebody\u00A0else' }).acquire();

  it.each([
    [['--no-wait'], 75],
    [['--wait', '100ms'], 75],
    [['--no-wait', '--conflict-exit-code', '0'], 0],
    [['--no-wait', '--conflict-exit-code=3'], 3],
  ])('is not acquired with %j: nothing runs, exit code %d', async (options, code) => {
    const lease = await holding('busy');
    const result = await holdfast(['run', 'busy', ...options, '--', 'echo', 'ran'], { url });
    expect(result).toEqual({
      code,
      output: '',
      errors: expect.stringMatching(/^holdfast: lock "busy" is held.*holder: somebody.else\)\n$/),
    });
    await lease.release();
  });

  it('is waited for, and silently where nobody watches', async () => {
    const lease = await holding('awaited');
    const command = new HoldfastCommand(['run', 'awaited', '--wait', '1m', '--', 'echo', 'ran'], { url });
    await until('it stands in line', async () => (await locks.inspect('awaited')).waiters === 1);
    await lease.release();
    expect(await command.result()).toEqual({ code: 0, output: 'ran\n', errors: '' });
  });
});

describe('for programs', () => {
  it('run tells its life, one object a line, and its command’s output stays its own', async () => {
    const command = new HoldfastCommand(['run', 'told', '--json', '--', 'sh', '-c', 'echo out; exit 4'], { url });
    expect(await command.result()).toMatchObject({ code: 4, output: 'out\n' });
    const [acquired] = command.events;
    expect(acquired).toEqual({
      event: 'acquired',
      lockId: 'told',
      fencingToken: expect.any(Number),
      waitedMs: expect.any(Number),
      deadline: expect.any(String),
    });
    expect(command.events.slice(1)).toEqual([
      { event: 'started', lockId: 'told', pid: expect.any(Number) },
      { event: 'ended', lockId: 'told', code: 4, signal: null },
      { event: 'released', lockId: 'told' },
    ]);
  });

  it('an error is an object, too', async () => {
    const { code, errors } = await holdfast(['run', 'told', '--json', '--wait', 'soon', '--', 'true'], { url });
    expect([code, JSON.parse(errors)]).toEqual([
      64,
      { event: 'error', code: 'usage', message: expect.stringContaining('--wait'), exitCode: 64 },
    ]);
  });
});

describe('a release', () => {
  it('that fails after the command went well is told of, and the exit code is the command’s', async () => {
    proxy.setRule((operation) => (operation === 'release' ? { status: 403, headers: {}, body: '{}' } : undefined));
    const result = await holdfast(['run', 'unreleased', '--lease', '1s', '--', 'true'], { url: proxy.endpoint });
    expect(result).toMatchObject({
      code: 0,
      errors: expect.stringMatching(/could not be given back .*; it comes free by itself within [12]s\n/),
    });
  });

  it('that finds the lease lost is an exit code of its own when the command went well, and the command’s when not', async () => {
    for (const [own, code] of [
      [0, 76],
      [5, 5],
    ]) {
      const lockId = `broken ${own}`;
      const gate = join(workFolder, `gate-${own}`);
      const script = `echo $$; while ! test -e ${gate}; do sleep 0.05; done; exit ${own}`;
      const command = new HoldfastCommand(['run', lockId, '--lease', '1h', '--', 'sh', '-c', script], { url });
      await command.started();
      const { fencingToken = 0 } = await locks.inspect(lockId);
      expect((await locks.break(lockId, { fencingToken })).outcome).toBe('broken');
      writeFileSync(gate, '');
      expect(await command.result()).toMatchObject({ code, errors: expect.stringContaining('is lost: broken') });
    }
  });
});

describe('a service', () => {
  it.each([
    ['that is not there', () => closedUrl, 'ECONNREFUSED'],
    ['at another address', () => `${stack.url}/elsewhere`, 'there is no Holdfast API at this address'],
  ])('%s is an exit code of its own: nothing runs', async (_, address, message) => {
    const { code, output, errors } = await holdfast(['run', 'x', '--wait', '1s', '--', 'echo', 'ran'], {
      url: address(),
    });
    expect([code, output]).toEqual([69, '']);
    expect(errors).toContain(message);
  });

  it('that refuses this caller is one, too, and its code can be changed', async () => {
    const refused = { status: 403, headers: {}, body: '{"message":"Forbidden"}' };
    proxy.setRule(() => refused);
    const args = ['run', 'x', '--service-exit-code', '9', '--', 'echo', 'ran'];
    expect(await holdfast(args, { url: proxy.endpoint })).toMatchObject({ code: 9, output: '' });
  });
});

describe('a service that answers with faults', () => {
  it('is waited for without an end, and people are told once', async () => {
    proxy.setRule(() => ({ status: 500, headers: {}, body: '{}' }));
    const command = new HoldfastCommand(['run', 'faulty', '--', 'echo', 'ran'], { url: proxy.endpoint });
    await until(
      'it says so',
      () => command.errors.includes('the service fails, and lock faulty is waited for'),
      40_000,
    );
    proxy.setRule();
    const result = await command.result();
    expect(result).toMatchObject({ code: 0, output: 'ran\n' });
    expect(result.errors.split('\n')).toHaveLength(2);
  });

  it('is silently waited for on behalf of programs, and no longer than --wait', async () => {
    proxy.setRule(() => ({ status: 500, headers: {}, body: '{}' }));
    const args = ['run', 'faulty', '--wait', '8s', '--json', '--', 'echo', 'ran'];
    const command = new HoldfastCommand(args, { url: proxy.endpoint });
    expect(await command.result()).toMatchObject({ code: 69, output: '' });
    expect(command.events).toEqual([expect.objectContaining({ event: 'error', code: 'lock-service' })]);
  });
});

describe('a command line that is wrong', () => {
  it.each([
    [['run', 'x', 'true'], /got no --/],
    [['run', '--', 'true'], /got no lock id/],
    [['run', 'x', '--'], /got no command/],
    [['run', 'x', '--', ''], /got no command/],
    [['run', '', '--', 'true'], /lock id must/],
    [['run', 'é'.repeat(257), '--', 'true'], /lock id must/],
    [['run', 'a\uFFFD', '--', 'true'], /UTF-8/],
    [
      ['run', 'x', '--wait', '10', '--', 'true'],
      /--wait must be a whole number with its unit \(500ms, 30s, 5m, 1h\).*got "10"/,
    ],
    [['run', 'x', '--wait', '1.5h', '--', 'true'], /got "1\.5h"/],
    [['run', 'x', '--lease', '999ms', '--', 'true'], /--lease must be .* from 1s to 24h, got "999ms"/],
    [['run', 'x', '--lease', '25h', '--', 'true'], /from 1s to 24h/],
    [['run', 'x', '--holder', '\u001b[31m', '--', 'true'], /holder must be text/],
    [
      ['run', 'x', '--conflict-exit-code', '256', '--', 'true'],
      /--conflict-exit-code must be a whole number from 0 to 255, got "256"/,
    ],
    [['run', 'x', '--nowait', '--', 'true'], /unknown option '--nowait'/],
    [['run', 'x', 'y', '--', 'true'], /got "y" before the --/],
    [['run', 'x', '--url', 'memory:', '--', 'true'], /memory: is the memory of one process/],
    [['run', 'x', '--url', 'ftp://x', '--', 'true'], /the address of the locks .* must be https.*, got "ftp:\/\/x"/],
    [['run', 'x', '--url', 'foo', '--', 'true'], /must be https:(?!.*memory:).*, got "foo"/],
    [['run', 'x', '--url', 'http://lo\ncks', '--', 'true'], /without white space, got "http:\/\/lo\\ncks"/],
    [['run', 'x', '--url', 'ftp://a:hunter2@x', '--', 'true'], /^(?!.*hunter2).*must be https:.*, got another text/],
    [['run', 'x', '--url', 'a=http://lo\ncks', '--', 'true'], /the url of a must be .* without white space/],
    [['run', 'x', '--wait', '1s', '--no-wait', '--', 'true'], /--wait and --no-wait exclude each other/],
    [['run', 'x', '--no-wait', '--wait=1s', '--', 'true'], /--wait and --no-wait exclude each other/],
    [['--url', 'http://x', 'inspect', 'x'], /unknown option '--url' before the command: options stand behind it/],
    [['try', 'x', '--lease', '24h', '--print-lease'], /--lease must be from 1s to 1h00m at this service, got 1d00h/],
    [['jump'], /unknown command 'jump'/],
    [[], /no command given/],
    [['acquire', 'x'], /--lease-file FILE, or --print-lease/],
    [['acquire', 'x', '--lease-file', '-'], /--lease-file - is the standard input .* give --print-lease/],
    [['try', 'x', '--lease-file', '-', '--print-lease'], /--lease-file - is the standard input/],
    [['try', 'x', '--lease-file', ''], /--lease-file must be the path of a file, got nothing/],
    [['acquire', 'x', '--lease-file', '', '--print-lease'], /--lease-file must be the path of a file, got nothing/],
    [['renew', '--lease-file', ''], /--lease-file must be the path of a file, got nothing/],
    [['release', '--lease-file', ''], /--lease-file must be the path of a file, got nothing/],
    [['renew'], /required option '--lease-file/],
    [['list', '--state', 'odd'], /Allowed choices are held, over, free, all/],
    [['break', 'x', '--yes'], /--yes needs --fence N/],
    [['break', 'x'], /no terminal to ask on/],
    [['break', 'x', '--yes', '--fence', '1e3'], /--fence must be a whole number/],
  ])('%j is refused, naming what is allowed', async (args, message) => {
    const { code, output, errors } = await holdfast(args, { url });
    expect([code, output]).toEqual([64, '']);
    expect(errors).toMatch(message);
    expect(errors).toMatch(/holdfast: [^\n]*\n$/);
    expect(readdirSync(workFolder)).not.toContain('-');
  });

  it('has an exit code that can be changed, as far as it can be read', async () => {
    expect((await holdfast(['run', 'x', '--bad', '--usage-exit-code', '2', '--', 'true'], { url })).code).toBe(2);
    expect((await holdfast(['run', 'x', '--usage-exit-code=3', '--wait', '1', '--', 'true'], { url })).code).toBe(3);
    expect((await holdfast(['run', 'x', '--usage-exit-code', '-1', '--', 'true'], { url })).code).toBe(64);
  });

  it('without an address says how to give one', async () => {
    expect(await holdfast(['inspect', 'x'])).toMatchObject({
      code: 64,
      errors: expect.stringContaining('set HOLDFAST_URL or give --url'),
    });
  });
});
