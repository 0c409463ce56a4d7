import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AwsV4Signer } from 'aws4fetch';
import { testIdentity, testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { encodeLockId } from '../../sdk/wire/lock-id.ts';
import { fillPath, routes } from '../../sdk/wire/routes.ts';
import { hostileLockIds } from '../support/hostile-lock-ids.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

let stack: LocalStackProcess;

beforeAll(async () => {
  stack = await startLocalStack({ args: ['--auth', 'iam'] });
});

afterAll(async () => {
  expect(await stack.stop()).toBe(0);
});

const forbidden = { status: 403, body: { message: 'Forbidden' } };
const notFound = { status: 404, body: { message: 'Not Found' } };

async function read(response: Response) {
  return { status: response.status, body: await response.json() };
}

async function unsigned(method: string, path: string) {
  return read(await fetch(`${stack.url}${path}`, { method }));
}

async function signed(method: string, path: string, keys: { secretAccessKey?: string } = {}) {
  const signer = new AwsV4Signer({
    ...testKeyPair,
    ...keys,
    method,
    url: `${stack.url}${path}`,
    service: 'execute-api',
    region: 'us-east-1',
  });
  const { url, headers } = await signer.sign();
  return read(await fetch(url, { method, headers }));
}

test('it prints the key pair, and a command that takes a lock with it', async () => {
  expect(stack.output()).toContain(testKeyPair.secretAccessKey);
  const command = /^ {2}(curl .*)$/m.exec(stack.output())?.[1] ?? '';
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`]);
  expect(JSON.parse(stdout)).toMatchObject({ lockId: 'orders-42' });
});

test('a signed request takes a lock in the name of its signer', async () => {
  expect(await signed('POST', '/v1/locks/signed/try')).toMatchObject({ status: 200 });
  expect(await signed('GET', '/v1/locks/signed')).toMatchObject({
    status: 200,
    body: { state: 'held', principal: testIdentity.userArn },
  });
});

test.each(Object.values(routes))('$method $path is forbidden without a right signature', async (route) => {
  for (const id of hostileLockIds) {
    const path = fillPath(route, encodeLockId(id));
    expect(await unsigned(route.method, path)).toMatchObject(forbidden);
    expect(await unsigned(route.method, `${path}/`)).toMatchObject(forbidden);
    expect(await signed(route.method, path, { secretAccessKey: 'wrong' })).toMatchObject(forbidden);
  }
});

test('lock ids of every escape class are locks of their own', async () => {
  for (const id of hostileLockIds) {
    expect(await signed('POST', `/v1/locks/${encodeLockId(id)}/try`)).toMatchObject({
      status: 200,
      body: { lockId: id },
    });
  }
});

test.each(Object.values(routes))('$method $path with a trailing slash reaches nothing', async (route) => {
  expect(await signed(route.method, `${fillPath(route, 'a')}/`)).toMatchObject(notFound);
});

test('a route that does not exist is not found, signed or not', async () => {
  expect(await unsigned('GET', '/v1/nothing')).toMatchObject(notFound);
  expect(await signed('GET', '/v1/nothing')).toMatchObject(notFound);
});
