import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKeyPair } from '../../../lambda/local/test-key-pair.ts';
import { LockFactory } from '../../../sdk/index.ts';
import { parseOptions } from '../../deployed/options.ts';
import { type Report, verify } from '../../deployed/run.ts';
import { type Alteration, type AlteringProxy, startAlteringProxy } from '../../support/altering-proxy.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { readKey, useKey } from './callers.ts';

const root = join(__dirname, '..', '..', '..');

let folder: string;
const proxies: AlteringProxy[] = [];

/** What stands for deployments: local stacks, one that checks signatures and one that does not. */
export const stacks = {} as { signed: LocalStackProcess; open: LocalStackProcess };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-verification-'));
  const profiles = { admin: testKeyPair, use: useKey, read: readKey };
  const ini = Object.entries(profiles).map(
    ([name, { accessKeyId, secretAccessKey }]) =>
      `[${name}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
  );
  const file = join(folder, 'credentials');
  await writeFile(file, ini.join('\n'));
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = file;
  process.env['AWS_CONFIG_FILE'] = join(folder, 'config');
  const [signed, open] = await Promise.all([startLocalStack({ args: ['--auth', 'iam'] }), startLocalStack()]);
  Object.assign(stacks, { signed, open });
});

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
});

afterAll(async () => {
  await Promise.all([stacks.signed.stop(), stacks.open.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** A proxy before a stack, for one test. */
export async function proxyBefore(stack: LocalStackProcess, alteration: Alteration): Promise<string> {
  const proxy = await startAlteringProxy(stack.url, alteration);
  proxies.push(proxy);
  return proxy.url;
}

/** A run inside this process. */
export async function verification(url: string, ...args: string[]): Promise<Report> {
  const options = parseOptions(['--url', url, '--profile', 'admin', ...args], {});
  if (options === 'help') throw new Error('no options');
  return verify(options, () => undefined, new AbortController().signal);
}

/** What failed in it. */
export function failed({ entries }: Report): string[] {
  return entries.filter(({ result }) => result === 'FAILED').map(({ what }) => what);
}

/** The command, in a process of its own. */
export function command(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/deployed/verify.ts', ...args], {
    cwd: root,
    env: process.env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number, output }));
  return { child, ended };
}

/** The locks that are held in the stack that checks signatures. */
export async function heldLocks(): Promise<string[]> {
  const locks = LockFactory.connect({ url: stacks.signed.url, credentials: testKeyPair });
  const ids: string[] = [];
  for await (const { lockId } of locks.list()) ids.push(lockId);
  return ids;
}
