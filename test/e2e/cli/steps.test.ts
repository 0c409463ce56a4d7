import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdfast, workFolder } from '../../support/holdfast-command.ts';
import { until } from '../../support/until.ts';
import { type StackBehindProxy, stackBehindProxy } from './stack-behind-proxy.ts';

let { url, proxy, locks } = {} as StackBehindProxy;
stackBehindProxy((stand) => {
  ({ url, proxy, locks } = stand);
});

const fileOf = (name: string) => join(workFolder, name);
const leaseForm = /^holdfast-lease\.1\.[A-Za-z0-9_-]+\n$/;

describe('a lock that is held over several steps', () => {
  it('is acquired, renewed and released with a lease file, which holds the only secret', async () => {
    const file = fileOf('steps');
    const acquired = await holdfast(
      ['acquire', 'a b/c', '--lease', '1m', '--lease-file', file, '--holder', 'step 1', '--json'],
      { url },
    );
    const { fencingToken } = await locks.inspect('a b/c');
    expect(acquired).toMatchObject({ code: 0, errors: '' });
    expect(JSON.parse(acquired.output)).toEqual({
      lockId: 'a b/c',
      fencingToken,
      remainingMs: expect.any(Number),
      deadline: expect.any(String),
      leaseFile: file,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = readFileSync(file, 'utf8');
    expect(secret).toMatch(leaseForm);
    const { since } = await locks.inspect('a b/c');
    const renewed = await holdfast(['renew', '--lease-file', file], { url });
    expect(renewed).toEqual({
      code: 0,
      output: expect.stringMatching(new RegExp(`^holding a b/c, fencing token ${fencingToken}, for \\d+s, until`)),
      errors: '',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toBe(secret);
    expect(await locks.inspect('a b/c')).toMatchObject({ state: 'held', holder: 'step 1', fencingToken, since });
    expect(await holdfast(['release', '--lease-file', file], { url })).toEqual({
      code: 0,
      output: 'released a b/c\n',
      errors: '',
    });
    expect(existsSync(file)).toBe(false);
    expect((await locks.inspect('a b/c')).state).toBe('free');
    for (const { output, errors } of [acquired, renewed])
      expect(`${output}${errors}`).not.toContain(secret.slice(20, 60));
  });

  it('travels over pipes where that is asked for', async () => {
    const taken = await holdfast(['try', 'piped', '--print-lease'], { url });
    expect(taken).toEqual({ code: 0, output: expect.stringMatching(leaseForm), errors: '' });
    expect(await holdfast(['renew', '--lease-file', '-'], { url, input: taken.output })).toMatchObject({
      code: 64,
      errors: expect.stringContaining('--print-lease'),
    });
    const renewed = await holdfast(['renew', '--lease-file', '-', '--print-lease', '--json'], {
      url,
      input: taken.output,
    });
    const { lease } = JSON.parse(renewed.output);
    expect(await holdfast(['release', '--lease-file', '-', '--json'], { url, input: lease })).toEqual({
      code: 0,
      output: '{"lockId":"piped","released":true}\n',
      errors: '',
    });
  });

  it('is not taken by try when another holds it: exit code 75, and no file', async () => {
    const lease = await locks.createLock('busy').acquire();
    const file = fileOf('busy');
    expect((await holdfast(['try', 'busy', '--lease-file', file], { url })).code).toBe(75);
    expect(
      (
        await holdfast(['acquire', 'busy', '--wait', '100ms', '--conflict-exit-code', '1', '--lease-file', file], {
          url,
        })
      ).code,
    ).toBe(1);
    expect(existsSync(file)).toBe(false);
    await lease.release();
  });

  it('that is lost has an exit code of its own; its file goes with the release', async () => {
    const file = fileOf('lost');
    await holdfast(['try', 'lost', '--lease-file', file], { url });
    const { fencingToken = 0 } = await locks.inspect('lost');
    await locks.break('lost', { fencingToken });
    expect(await holdfast(['renew', '--lease-file', file], { url })).toMatchObject({
      code: 76,
      errors: expect.stringContaining('is lost: broken'),
    });
    expect(existsSync(file)).toBe(true);
    expect((await holdfast(['release', '--lease-file', file], { url })).code).toBe(76);
    expect(existsSync(file)).toBe(false);
  });

  it('comes free by itself when no step renews it', async () => {
    await holdfast(['try', 'forgotten', '--lease', '1s', '--lease-file', fileOf('forgotten')], { url });
    await until('its lease is over', async () => (await locks.inspect('forgotten')).state === 'over');
    expect((await holdfast(['renew', '--lease-file', fileOf('forgotten')], { url })).code).toBe(76);
  });

  it('is kept in its file when a renewal is refused, and when a release is', async () => {
    const file = fileOf('refused');
    await holdfast(['try', 'refused', '--lease-file', file], { url });
    proxy.setRule(() => ({ status: 403, headers: {}, body: '{}' }));
    expect((await holdfast(['renew', '--lease-file', file], { url: proxy.endpoint })).code).toBe(69);
    expect((await holdfast(['release', '--lease-file', file], { url: proxy.endpoint })).code).toBe(69);
    expect((await holdfast(['release', '--lease-file', file], { url })).code).toBe(0);
  });
});

describe('a lease file', () => {
  it('that is there already is not touched, nor is the lock taken', async () => {
    const file = fileOf('there');
    writeFileSync(file, 'mine');
    symlinkSync(fileOf('elsewhere'), fileOf('link'));
    for (const path of [file, fileOf('link')]) {
      expect(await holdfast(['try', 'there', '--lease-file', path], { url })).toMatchObject({
        code: 64,
        errors: expect.stringContaining('is there already'),
      });
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(existsSync(fileOf('elsewhere'))).toBe(false);
    expect((await holdfast(['try', 'there', '--lease-file', join(workFolder, 'no', 'folder')], { url })).code).toBe(64);
    expect((await locks.inspect('there')).state).toBe('free');
  });

  it.each([
    ['that is not there', () => undefined, 'there is no such file'],
    ['that is damaged', (file: string) => writeFileSync(file, 'holdfast-lease.1.%%', { mode: 0o600 }), 'is damaged'],
    [
      'that is cut off',
      (file: string) => writeFileSync(file, 'holdfast-lease.1.WyJ4', { mode: 0o600 }),
      'that is cut off is damaged',
    ],
    ['that is empty', (file: string) => writeFileSync(file, '', { mode: 0o600 }), 'is damaged'],
    ['that is too long', (file: string) => writeFileSync(file, 'x'.repeat(20_000), { mode: 0o600 }), 'is damaged'],
    ['that is a folder', (file: string) => mkdirSync(file), 'is no regular file'],
    ['that is a symbolic link', (file: string) => symlinkSync('/dev/null', file), 'symbolic link'],
    [
      'that others can read',
      (file: string) => writeFileSync(file, 'x', { mode: 0o644 }),
      'is open to other users (mode 0644)',
    ],
  ])('%s is refused', async (name, make, message) => {
    const file = fileOf(name);
    make(file);
    for (const action of ['renew', 'release']) {
      const { code, output, errors } = await holdfast([action, '--lease-file', file], { url });
      expect([code, output]).toEqual([64, '']);
      expect(errors).toContain(message);
      expect(errors).not.toMatch(/%%|WyJ4/);
    }
    rmSync(file, { recursive: true, force: true });
  });

  it('of another user is refused', async () => {
    // Root can make one; everybody else finds one.
    const isRoot = process.getuid?.() === 0;
    const file = isRoot ? fileOf('foreign') : '/etc/passwd';
    if (isRoot) {
      writeFileSync(file, 'x', { mode: 0o600 });
      chownSync(file, 12_345, 12_345);
    }
    const errors = expect.stringContaining(`belongs to user ${isRoot ? 12_345 : 0}, not to`);
    expect(await holdfast(['release', '--lease-file', file], { url })).toMatchObject({ code: 64, errors });
  });
});
