import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  commandEnvironment,
  commandLine,
  HoldfastCommand,
  holdfast,
  workFolder,
} from '../../support/holdfast-command.ts';
import { until } from '../../support/until.ts';
import { type StackBehindProxy, stackBehindProxy } from './stack-behind-proxy.ts';

let { url, proxy, locks } = {} as StackBehindProxy;
stackBehindProxy((stand) => {
  ({ url, proxy, locks } = stand);
});

const fileOf = (name: string) => join(workFolder, name);
const viaProxy = () => ({ url: proxy.endpoint });
const taken = async (lockId: string) => {
  const file = fileOf(lockId);
  const { code, errors } = await holdfast(['try', lockId, '--lease', '1m', '--lease-file', file], { url });
  expect([code, errors]).toEqual([0, '']);
  return file;
};

/** Runs the command where files can be made, but nothing can be written into them. */
async function holdfastOnFullDisk(args: readonly string[]) {
  const script = `trap '' XFSZ; ulimit -f 0; exec ${commandLine} "$@"`;
  const shell = spawn('sh', ['-c', script, 'sh', ...args], { cwd: workFolder, env: commandEnvironment({ url }) });
  const [[code], output, errors] = await Promise.all([once(shell, 'exit'), text(shell.stdout), text(shell.stderr)]);
  return { code, output, errors };
}

describe('a step that is repeated with its lease file', () => {
  it('renews although the first renewal was applied unheard, and the hold is the same one', async () => {
    const file = await taken('unheard renewal');
    const { fencingToken, since } = await locks.inspect('unheard renewal');
    proxy.setRule((operation) => (operation === 'renew' ? 'drop-reply' : undefined));
    expect(await holdfast(['renew', '--lease-file', file], viaProxy())).toMatchObject({ code: 69, output: '' });
    proxy.setRule();
    expect((await holdfast(['renew', '--lease-file', file], viaProxy())).code).toBe(0);
    expect(await locks.inspect('unheard renewal')).toMatchObject({ state: 'held', fencingToken, since });
  });

  it('renews at once when one reply is lost', async () => {
    const file = await taken('one lost reply');
    proxy.setTrap('renew', 'drop-reply');
    expect((await holdfast(['renew', '--lease-file', file], viaProxy())).code).toBe(0);
  });

  it('renews after a renewal that was interrupted when it had been applied', async () => {
    const file = await taken('interrupted renewal');
    const secret = readFileSync(file, 'utf8');
    const held = proxy.setTrap('renew', 'hold-reply');
    const renewing = new HoldfastCommand(['renew', '--lease-file', file], viaProxy());
    await held.struck;
    renewing.send('SIGINT');
    expect(await renewing.ended()).toBe('SIGINT');
    held.passOn();
    expect(readFileSync(file, 'utf8')).toBe(secret);
    expect((await holdfast(['renew', '--lease-file', file], { url })).code).toBe(0);
    expect((await holdfast(['release', '--lease-file', file], { url })).code).toBe(0);
  });

  it('releases although the first release was applied unheard', async () => {
    const file = await taken('unheard release');
    proxy.setRule((operation) => (operation === 'release' ? 'drop-reply' : undefined));
    expect((await holdfast(['release', '--lease-file', file], viaProxy())).code).toBe(69);
    expect(existsSync(file)).toBe(true);
    expect((await locks.inspect('unheard release')).state).toBe('free');
    const successor = await locks.createLock('unheard release').acquire();
    expect(await holdfast(['release', '--lease-file', file], { url })).toMatchObject({
      code: 0,
      output: 'released unheard release\n',
    });
    expect(existsSync(file)).toBe(false);
    await successor.renew();
  });

  it('releases after a release that was interrupted when it had been applied', async () => {
    const file = await taken('interrupted release');
    const held = proxy.setTrap('release', 'hold-reply');
    const releasing = new HoldfastCommand(['release', '--lease-file', file], viaProxy());
    await held.struck;
    releasing.send('SIGTERM');
    expect(await releasing.ended()).toBe('SIGTERM');
    held.passOn();
    expect((await holdfast(['release', '--lease-file', file], { url })).code).toBe(0);
  });

  it('finds its lease lost past the deadline, and asks nothing of the service', async () => {
    const file = fileOf('past');
    await holdfast(['try', 'past', '--lease', '1s', '--lease-file', file], { url });
    await until('its lease is over', async () => (await locks.inspect('past')).state === 'over');
    const before = proxy.operations.length;
    for (const step of ['renew', 'release']) {
      const errors = expect.stringContaining('is lost: expired');
      expect(await holdfast([step, '--lease-file', file], viaProxy())).toMatchObject({ code: 76, errors });
    }
    expect(proxy.operations).toHaveLength(before);
  });
});

describe('a disk that is full', () => {
  it('leaves neither lease nor file to whoever takes a lock', async () => {
    const file = fileOf('untaken');
    const result = await holdfastOnFullDisk(['try', 'untaken', '--lease-file', file]);
    const errors = expect.stringMatching(/lease file .* cannot be written: EFBIG/);
    expect(result).toEqual({ code: 74, output: '', errors });
    expect(existsSync(file)).toBe(false);
    expect((await locks.inspect('untaken')).state).toBe('free');
    expect((await holdfast(['try', 'untaken', '--lease-file', file], { url })).code).toBe(0);
  });

  it('leaves the old file to whoever renews, which is good on', async () => {
    const file = await taken('unrenewed');
    const secret = readFileSync(file, 'utf8');
    expect(await holdfastOnFullDisk(['renew', '--lease-file', file])).toEqual({
      code: 74,
      output: '',
      errors: expect.stringMatching(/is renewed until .* cannot be written into the lease file .* as it was/),
    });
    expect(readFileSync(file, 'utf8')).toBe(secret);
    expect(readdirSync(workFolder).filter((name) => name.startsWith('unrenewed'))).toEqual(['unrenewed']);
    expect((await locks.inspect('unrenewed')).state).toBe('held');
    expect((await holdfast(['release', '--lease-file', file], { url })).code).toBe(0);
    expect((await locks.inspect('unrenewed')).state).toBe('free');
  });
});

describe('a lease file that cannot be removed', () => {
  // A folder in its place can be removed by nobody, whoever runs this.
  const releasedOver = async (lockId: string) => {
    const file = await taken(lockId);
    const held = proxy.setTrap('release', 'hold-reply');
    const releasing = new HoldfastCommand(['release', '--lease-file', file], viaProxy());
    await held.struck;
    rmSync(file);
    mkdirSync(file);
    held.passOn();
    const result = await releasing.result();
    rmdirSync(file);
    return result;
  };

  it('is told of when the lock was given back', async () => {
    expect(await releasedOver('unremoved')).toEqual({
      code: 74,
      output: '',
      errors: expect.stringMatching(/lock unremoved was given back, but its lease file .* cannot be removed/),
    });
    expect((await locks.inspect('unremoved')).state).toBe('free');
  });

  it('is told of when the lease was lost, which counts', async () => {
    proxy.setRule();
    const file = await taken('lost and unremoved');
    const { fencingToken = 0 } = await locks.inspect('lost and unremoved');
    await locks.break('lost and unremoved', { fencingToken });
    const held = proxy.setTrap('release', 'hold-reply');
    const releasing = new HoldfastCommand(['release', '--lease-file', file], viaProxy());
    await held.struck;
    rmSync(file);
    mkdirSync(file);
    held.passOn();
    expect(await releasing.result()).toMatchObject({
      code: 76,
      errors: expect.stringMatching(/cannot be removed[\s\S]*is lost: broken/),
    });
    rmdirSync(file);
  });
});

describe('a printed lease that nobody gets', () => {
  it('is given back when the output is full', async () => {
    const full = openSync('/dev/full', 'w');
    const taking = new HoldfastCommand(['try', 'unprinted', '--print-lease'], { url, stdio: ['ignore', full, 'pipe'] });
    expect(await taking.ended()).toBe(74);
    expect((await locks.inspect('unprinted')).state).toBe('free');
  });

  it('is given back when the output is closed', async () => {
    const held = proxy.setTrap('try', 'hold-reply');
    const taking = new HoldfastCommand(['try', 'unread', '--print-lease'], viaProxy());
    await held.struck;
    taking.stdout?.destroy();
    held.passOn();
    expect(await taking.ended()).toBe(141);
    expect((await locks.inspect('unread')).state).toBe('free');
  });

  it('is kept when a lease file holds it', async () => {
    const full = openSync('/dev/full', 'w');
    const file = fileOf('kept');
    const args = ['try', 'kept', '--print-lease', '--lease-file', file];
    expect(await holdfast(args, { url, stdio: ['ignore', full, 'pipe'] })).toMatchObject({
      code: 74,
      errors: expect.stringContaining(`its lease is in ${file}`),
    });
    expect((await locks.inspect('kept')).state).toBe('held');
    expect((await holdfast(['release', '--lease-file', file], { url })).code).toBe(0);
  });
});
