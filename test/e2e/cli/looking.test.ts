import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testKeyPair } from '../../../lambda/local/test-key-pair.ts';
import { LockFactory } from '../../../sdk/index.ts';
import { startDynamoDb, type TestDynamoDb } from '../../support/dynamodb.ts';
import { HoldfastCommand, holdfast, workFolder } from '../../support/holdfast-command.ts';
import { hostileLockIds } from '../../support/hostile-lock-ids.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { until } from '../../support/until.ts';

let stack: LocalStackProcess;
let locks: LockFactory;
let url: string;

beforeAll(async () => {
  stack = await startLocalStack();
  locks = LockFactory.connect({ url: stack.url });
  url = stack.url;
});
afterAll(() => stack.stop());

describe('inspect', () => {
  it('shows a lock, one fact a line, and to programs the view as it is', async () => {
    expect(await holdfast(['inspect', 'new'], { url })).toEqual({
      code: 0,
      output: 'lock       new\nstate      free\nwaiters    0\n',
      errors: '',
    });
    const lease = await locks.createLock('held', { holder: 'build 7' }).acquire();
    const { output } = await holdfast(['inspect', 'held'], { url });
    expect(output).toMatch(
      /^lock {7}held\nstate {6}held\nholder {5}build 7\nprincipal {2}local\nsince {6}\S+Z \(\d+m?s\)\nexpires {4}\S+Z \(in \d+s\)\nfence {6}\d+\nwaiters {4}0\n$/,
    );
    const view = JSON.parse((await holdfast(['inspect', 'held', '--json'], { url })).output);
    expect(view).toEqual({ ...(await locks.inspect('held')), expiresInMs: view.expiresInMs });
    await lease.release();
  });
});

describe('list', () => {
  it('shows the locks that are held as a table, and to programs one object a line', async () => {
    const leases = [
      await locks.createLock('list/b', { holder: 'second' }).acquire(),
      await locks.createLock('list/a', { holder: 'first 🔒' }).acquire(),
    ];
    const waiting = LockFactory.connect({ url }).createLock('list/a').acquire();
    await until('somebody waits', async () => (await locks.inspect('list/a')).waiters === 1);
    const { output } = await holdfast(['list', '--prefix', 'list/'], { url });
    const [head, first, second, ...rest] = output.split('\n');
    expect(head).toMatch(/^LOCK {4}STATE {2}HOLDER {3}AGE +REMAINING {2}WAITERS {2}FENCE$/);
    expect(first).toMatch(/^list\/a {2}held {3}first 🔒 {2}\d+m?s +\d+s {8}1 {8}\d+$/);
    expect(second).toMatch(/^list\/b {2}held {3}second {3}\d+m?s +\d+s {8}0 {8}\d+$/);
    expect(rest).toEqual(['']);
    const lines = (await holdfast(['list', '--prefix', 'list/', '--json'], { url })).output.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).lockId).sort()).toEqual(['list/a', 'list/b']);
    await Promise.all(leases.map((lease) => lease.release()));
    await (await waiting).release();
    expect((await holdfast(['list', '--prefix', 'list/', '--state', 'free'], { url })).output).toMatch(
      /list\/a {2}free/,
    );
  });

  it('shows nothing to a terminal that would control it', async () => {
    const ids = ['control\x1b[2J', 'bidi\u202Eb', 'c1\u009b'];
    const leases = await Promise.all(ids.map((id) => locks.createLock(id).acquire()));
    for (const [id = '', shown = ''] of [
      [ids[0], 'control\\u{1B}[2J'],
      [ids[1], 'bidi\\u{202E}b'],
      [ids[2], 'c1\\u{9B}'],
    ]) {
      expect((await holdfast(['list'], { url })).output).toContain(shown);
      expect((await holdfast(['inspect', id], { url })).output).toContain(shown);
      const { code, errors } = await holdfast(['run', id, '--no-wait', '--', 'true'], { url });
      expect(code).toBe(75);
      expect(errors).not.toContain(id);
    }
    await Promise.all(leases.map((lease) => lease.release()));
  });

  it('says what is wrong when its output cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    const { code, errors } = await holdfast(['list'], { url, stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect([code, errors]).toEqual([
      74,
      expect.stringMatching(/^holdfast: the output cannot be written: ENOSPC[^\n]*\n$/),
    ]);
  });

  it('ends as if by SIGPIPE when its reader has gone', async () => {
    const lease = await locks.createLock('unread').acquire();
    const command = new HoldfastCommand(['list'], { url });
    command.stdout?.destroy();
    expect(await command.ended()).toBe(141);
    await lease.release();
  });
});

describe('break', () => {
  it('takes the lock from exactly the hold that is named', async () => {
    await locks.createLock('wedged').acquire();
    const { fencingToken = 0 } = await locks.inspect('wedged');
    const breaking = (fence: number, ...args: string[]) =>
      holdfast(['break', 'wedged', '--yes', '--fence', String(fence), '--note', 'its host is gone', ...args], { url });
    expect(await breaking(fencingToken - 1)).toEqual({
      code: 75,
      output: 'another hold than that has wedged: nothing was taken\n',
      errors: '',
    });
    expect((await locks.inspect('wedged')).state).toBe('held');
    const { code, output } = await breaking(fencingToken, '--json');
    expect([code, JSON.parse(output)]).toEqual([
      0,
      { lockId: 'wedged', fencingToken, outcome: 'broken', view: expect.objectContaining({ state: 'free' }) },
    ]);
    expect(await breaking(fencingToken, '--conflict-exit-code', '5')).toEqual({
      code: 5,
      output: 'nobody holds wedged\n',
      errors: '',
    });
  });
});

describe('every lock id that a command line can hold', () => {
  it('is its own lock', async () => {
    // What is no argument of a program: a NUL. What begins with a dash or is empty is elsewhere.
    const ids = hostileLockIds.filter((id) => !id.includes('\0')).slice(0, 40);
    const leases = await Promise.all(ids.map((id) => locks.createLock(id).acquire()));
    const { output } = await holdfast(['list', '--json'], { url });
    const listed = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).lockId);
    expect(listed).toEqual(expect.arrayContaining(ids));
    for (const id of ids.filter((each) => /[^A-Za-z0-9]/.test(each)).slice(0, 12)) {
      expect(JSON.parse((await holdfast(['inspect', '--json', '--', id], { url })).output)).toMatchObject({
        lockId: id,
        state: 'held',
      });
    }
    await Promise.all(leases.map((lease) => lease.release()));
  });
});

describe('the address and the credentials', () => {
  it('may be given as an option, which the command that runs has, too', async () => {
    const { code, output } = await holdfast(['run', 'x', '--url', url, '--', 'sh', '-c', 'echo $HOLDFAST_URL'], {
      url: 'http://127.0.0.1:1',
    });
    expect([code, output]).toEqual([0, `${url}\n`]);
  });

  it('sign with what the environment has, and are refused otherwise', async () => {
    const guarded = await startLocalStack({ args: ['--auth', 'iam'] });
    const env = { AWS_ACCESS_KEY_ID: testKeyPair.accessKeyId, AWS_SECRET_ACCESS_KEY: testKeyPair.secretAccessKey };
    expect((await holdfast(['run', 'signed', '--', 'true'], { url: guarded.url, env })).code).toBe(0);
    const refused = await holdfast(['run', 'signed', '--', 'echo', 'ran'], {
      url: guarded.url,
      env: { ...env, AWS_SECRET_ACCESS_KEY: 'wrong-secret' },
    });
    expect(refused).toEqual({ code: 69, output: '', errors: expect.stringContaining('refuses this caller') });
    expect(refused.errors).not.toContain('wrong-secret');
    expect((await holdfast(['inspect', 'signed'], { url: guarded.url })).code).toBe(69);
    await guarded.stop();
  });

  it('over https are looked for where AWS’s tools find them, and all those places are named', async () => {
    const env = {
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_REGION: 'eu-central-1',
    };
    const { code, errors } = await holdfast(['run', 'x', '--', 'true'], { url: 'https://127.0.0.1:1', env });
    expect(code).toBe(69);
    expect(errors).toMatch(
      /no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, .*AWS_PROFILE.*"aws configure export-credentials"/,
    );
  });
});

describe('over a table', () => {
  let database: TestDynamoDb;
  beforeAll(async () => {
    database = await startDynamoDb({ ownProcess: true });
  });
  afterAll(() => database.stop());

  it('a command runs under its lock, without an API', async () => {
    const table = await database.createTable();
    const env = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    const address = `dynamodb://${table}?region=local&endpoint=${encodeURIComponent(database.endpoint)}`;
    const { code, output, errors } = await holdfast(['run', 'x', '--', 'sh', '-c', 'echo $HOLDFAST_FENCING_TOKEN'], {
      url: address,
      env,
    });
    // Nor does a library tell what its later versions will need.
    expect(errors).toBe('');
    const view = JSON.parse((await holdfast(['inspect', 'x', '--json'], { url: address, env })).output);
    expect([code, output]).toEqual([0, `${view.fencingToken}\n`]);
    expect(view.state).toBe('free');
  });
});

it('prints the warnings of its process but that one', async () => {
  const preloaded = join(workFolder, 'warns.cjs');
  writeFileSync(preloaded, `setImmediate(() => process.emitWarning('of another kind'));`);
  const { errors } = await holdfast(['list'], { url, env: { NODE_OPTIONS: `--require ${preloaded}` } });
  expect(errors).toMatch(/^\(node:\d+\) Warning: of another kind\n/);
});
