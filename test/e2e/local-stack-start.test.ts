import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLocalStack, startLocalStack } from '../support/local-stack.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function expectRefused(args: readonly string[], message: RegExp, env: Record<string, string> = {}, code = 1) {
  const { exitCode, output, errors } = await runLocalStack({ args, env });
  expect(errors).toMatch(message);
  expect(errors).toMatch(/^holdfast: .+\n$/);
  expect(output).toBe(errors);
  expect(exitCode).toBe(code);
}

// As the command tells wrong usage from what cannot be done.
test.each([
  [['--prot', '3000'], /Unknown option '--prot'/],
  [['--port', 'x'], /--port must be a whole number from 0 to 65535, got "x"/],
  [['--auth', 'jwt'], /--auth must be none or iam, got "jwt"/],
  [['--memory', '--data', 'x'], /one place only, got --memory and --data/],
])('%j is refused with one message', async (args, message) => {
  await expectRefused(args, message, {}, 64);
});

test('--help prints the options and nothing starts', async () => {
  expect(await runLocalStack({ args: ['--help'] })).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('--dynamodb URL'),
    errors: '',
  });
});

test('a port that is taken is named', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await expectRefused(['--port', String(port), '--memory'], new RegExp(`port ${port} of 127\\.0\\.0\\.1 is taken`));
  taken.close();
});

test('a host that is not of this machine is named', async () => {
  await expectRefused(['--host', '203.0.113.1', '--memory'], /cannot listen on 203\.0\.113\.1/);
});

test('a file in the place of the data folder is named', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expectRefused(['--data', file], /--data must be a folder, got a file in the way of/);
});

test('a data folder in use is named, and its stack runs on', async () => {
  const data = join(folder, 'data');
  const first = await startLocalStack({ args: ['--data', data] });
  await expectRefused(['--data', data], /the data folder .*data is in use by another local stack/);
  expect(await fetch(`${first.url}/v1/locks/a`)).toMatchObject({ status: 200 });
  expect(await first.stop()).toBe(0);
});

test('a DynamoDB that does not answer is named', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const endpoint = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
  await expectRefused(['--dynamodb', endpoint], new RegExp(`cannot use the DynamoDB at ${endpoint}`));
});

test('what the functions refuse in the environment is named', async () => {
  await expectRefused(['--memory'], /HOLDFAST_MAX_LEASE_MS must be a whole number.*got soon/, {
    HOLDFAST_MAX_LEASE_MS: 'soon',
  });
});

test('a host beyond loopback is warned of', async () => {
  const stack = await startLocalStack({ args: ['--host', '0.0.0.0'] });
  expect(await fetch(`${stack.url}/v1/locks/a`)).toMatchObject({ status: 200 });
  expect(await stack.stop()).toBe(0);
  expect(stack.output()).toContain('warning: 0.0.0.0 is not a loopback address: everybody who can reach it');
});
