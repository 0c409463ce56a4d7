import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastCommand, holdfast, workFolder } from '../../support/holdfast-command.ts';
import { type StackBehindProxy, stackBehindProxy } from './stack-behind-proxy.ts';

let { url, proxy, locks } = {} as StackBehindProxy;
stackBehindProxy((stand) => {
  ({ url, proxy, locks } = stand);
});

const fileOf = (name: string) => join(workFolder, name);
const filesOf = (name: string) => readdirSync(workFolder).filter((file) => file.startsWith(name));
const stateOf = async (lockId: string) => (await locks.inspect(lockId)).state;

async function step(...args: readonly string[]): Promise<void> {
  const { code, errors } = await holdfast(args, { url });
  expect([code, errors]).toEqual([0, '']);
}

const take = (lockId: string, file: string) => step('try', lockId, '--lease', '1m', '--lease-file', file);

/** What a release does, in a moment: the slow step must not give its request up meanwhile. */
async function releaseAtOnce(file: string): Promise<void> {
  await locks.attach(readFileSync(file, 'utf8').trim(), { renewal: 'manual' }).release();
  rmSync(file);
}

/** What a renewal does, in a moment. */
async function renewAtOnce(file: string): Promise<void> {
  const lease = locks.attach(readFileSync(file, 'utf8').trim(), { renewal: 'manual' });
  await lease.renew();
  writeFileSync(file, `${lease.export()}\n`);
}

/** What taking a lock does, in a moment. */
async function takeAtOnce(lockId: string, file: string): Promise<void> {
  const lease = await locks.createLock(lockId, { renewal: 'manual', leaseMs: 60_000 }).acquire({ waitMs: 0 });
  writeFileSync(file, `${lease.export()}\n`, { mode: 0o600, flag: 'wx' });
}

/** A step whose request is applied, and whose answer comes when it is let through. */
async function slowStep(name: 'renew' | 'release', file: string, ...options: readonly string[]) {
  const held = proxy.setTrap(name, 'hold-reply');
  const command = new HoldfastCommand([name, '--lease-file', file, ...options], { url: proxy.endpoint });
  await held.struck;
  return () => {
    held.passOn();
    return command.result();
  };
}

describe('a slow renewal', () => {
  it('leaves the lease of the next hold in the file, and says that its own is at an end', async () => {
    const file = fileOf('renewed late');
    await take('renewed late', file);
    const ended = await slowStep('renew', file);
    await releaseAtOnce(file);
    await takeAtOnce('renewed late', file);
    const next = readFileSync(file, 'utf8');
    expect(await ended()).toEqual({
      code: 76,
      output: '',
      errors: expect.stringMatching(/lease file .*renewed late was replaced by another, which stays .*is at an end/),
    });
    expect(readFileSync(file, 'utf8')).toBe(next);
    expect(filesOf('renewed late')).toEqual(['renewed late']);
    await step('renew', '--lease-file', file);
    await step('release', '--lease-file', file);
    expect(await stateOf('renewed late')).toBe('free');
  });

  it('does the same when the file is of another lock by now', async () => {
    const file = fileOf('reused');
    await take('reused', file);
    const ended = await slowStep('renew', file, '--lost-exit-code', '9');
    await releaseAtOnce(file);
    await takeAtOnce('reused for another', file);
    expect((await ended()).code).toBe(9);
    await step('release', '--lease-file', file);
    expect(await stateOf('reused for another')).toBe('free');
  });

  it('makes no file anew that a release has removed', async () => {
    const file = fileOf('removed');
    await take('removed', file);
    const ended = await slowStep('renew', file, '--print-lease', '--json');
    await releaseAtOnce(file);
    const { code, output, errors } = await ended();
    expect([code, output]).toEqual([76, '']);
    expect(JSON.parse(errors)).toEqual({
      event: 'error',
      code: 'illegal-monitor-state',
      message: expect.stringMatching(/lease file .*removed was removed while lock removed was renewed/),
      exitCode: 76,
    });
    expect(filesOf('removed')).toEqual([]);
    await take('removed', file);
    await step('release', '--lease-file', file);
  });

  it('is none the worse for another that was faster', async () => {
    const file = fileOf('renewed twice');
    await take('renewed twice', file);
    const ended = await slowStep('renew', file);
    await renewAtOnce(file);
    expect(await ended()).toMatchObject({ code: 0, errors: '' });
    expect(filesOf('renewed twice')).toEqual(['renewed twice']);
    await step('release', '--lease-file', file);
    expect(await stateOf('renewed twice')).toBe('free');
  });
});

describe('a slow release', () => {
  it('leaves the lease of the next hold in the file, and says so', async () => {
    const file = fileOf('released late');
    await take('released late', file);
    const ended = await slowStep('release', file);
    await releaseAtOnce(file);
    await takeAtOnce('released late', file);
    const next = readFileSync(file, 'utf8');
    expect(await ended()).toEqual({
      code: 74,
      output: '',
      errors: expect.stringMatching(/lock released late was given back, but .* another is in its place by now/),
    });
    expect(readFileSync(file, 'utf8')).toBe(next);
    expect(await stateOf('released late')).toBe('held');
    await step('release', '--lease-file', file);
    expect(await stateOf('released late')).toBe('free');
  });

  it('leaves it there, too, when its own lease was lost', async () => {
    const file = fileOf('lost late');
    await take('lost late', file);
    const { fencingToken = 0 } = await locks.inspect('lost late');
    await locks.break('lost late', { fencingToken });
    const ended = await slowStep('release', file);
    rmSync(file);
    await takeAtOnce('lost late', file);
    expect(await ended()).toMatchObject({
      code: 76,
      errors: expect.stringMatching(/another is in its place by now[\s\S]*is lost: broken/),
    });
    await step('release', '--lease-file', file);
    expect(await stateOf('lost late')).toBe('free');
  });

  it('removes the file of its hold although that was renewed meanwhile', async () => {
    const file = fileOf('renewed meanwhile');
    await take('renewed meanwhile', file);
    // The first request gets no answer; the next is sent when the file has been renewed.
    const held = proxy.setTrap('release', 'hold');
    const releasing = new HoldfastCommand(['release', '--lease-file', file], { url: proxy.endpoint });
    await held.struck;
    await renewAtOnce(file);
    expect(await releasing.result()).toEqual({ code: 0, output: 'released renewed meanwhile\n', errors: '' });
    expect(existsSync(file)).toBe(false);
  });

  it('succeeds although another was faster', async () => {
    const file = fileOf('released twice');
    await take('released twice', file);
    const ended = await slowStep('release', file);
    await releaseAtOnce(file);
    expect(await ended()).toEqual({ code: 0, output: 'released released twice\n', errors: '' });
  });
});

it('steps that run at once leave a file that its lock can be released with, or none', async () => {
  const file = fileOf('crowded');
  await take('crowded', file);
  const renewals = await Promise.all(
    Array.from({ length: 4 }, () => holdfast(['renew', '--lease-file', file], { url })),
  );
  expect(renewals.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const [released] = await Promise.all([
    holdfast(['release', '--lease-file', file], { url }),
    holdfast(['renew', '--lease-file', file], { url }),
    holdfast(['renew', '--lease-file', file], { url }),
  ]);
  expect(released.code).toBe(0);
  expect(await stateOf('crowded')).toBe('free');
  if (existsSync(file)) await step('release', '--lease-file', file);
  expect(filesOf('crowded')).toEqual([]);
});
