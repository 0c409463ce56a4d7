import { execFile } from 'node:child_process';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { encodeLockId } from '../../sdk/wire/lock-id.ts';
import { hostileLockIds } from '../support/hostile-lock-ids.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

let stack: LocalStackProcess;

beforeAll(async () => {
  stack = await startLocalStack();
});

afterAll(async () => {
  expect(await stack.stop()).toBe(0);
});

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${stack.url}${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test('it listens on the loopback address and says how to use it', () => {
  expect(stack.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(stack.output()).toContain('POST /v1/locks/{lockId}/try');
  expect(stack.output()).not.toContain('warning');
});

test('the command that it prints takes a lock', async () => {
  const command = /^ {2}(curl .*)$/m.exec(stack.output())?.[1] ?? '';
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`]);
  expect(JSON.parse(stdout)).toMatchObject({ lockId: 'orders-42', leaseMs: 30_000, provisional: false });
});

test('every route works with nothing but HTTP', async () => {
  const lock = '/v1/locks/session';
  const tried = await send('POST', `${lock}/try`, { holder: 'first', leaseMs: 60_000 });
  expect(tried).toMatchObject({ status: 200, body: { lockId: 'session', leaseMs: 60_000 } });
  expect(tried.headers.get('apigw-requestid')).toMatch(/\S/);
  const { ownerToken, fencingToken } = tried.body;

  expect(await send('POST', `${lock}/renew`, { ownerToken, leaseMs: 50_000 })).toMatchObject({ status: 200 });
  expect(await send('POST', `${lock}/acquire`, { waitMs: 0 })).toMatchObject({
    status: 409,
    body: { code: 'lock-held', holder: 'first' },
  });
  expect(await send('GET', lock)).toMatchObject({ status: 200, body: { state: 'held', principal: 'local' } });
  expect(await send('GET', '/v1/admin/locks?prefix=session')).toMatchObject({
    status: 200,
    body: { locks: [{ lockId: 'session' }] },
  });
  expect(await send('POST', '/v1/admin/locks/session/break', { fencingToken })).toMatchObject({ status: 200 });
  expect(await send('POST', `${lock}/release`, { ownerToken })).toMatchObject({
    status: 409,
    body: { code: 'lease-lost', reason: 'broken' },
  });

  const acquired = await send('POST', `${lock}/acquire`, { waitMs: 1_000 });
  expect(acquired).toMatchObject({ status: 200 });
  expect(acquired.body.fencingToken).toBeGreaterThan(fencingToken);
  const released = await send('POST', `${lock}/release`, { ownerToken: acquired.body.ownerToken });
  expect(released).toMatchObject({ status: 200, body: { released: true } });
});

test('a waiting request has the lock when it comes free', async () => {
  const { body: first } = await send('POST', '/v1/locks/handed/try');
  const waiting = send('POST', '/v1/locks/handed/acquire', { waitMs: 20_000 });
  expect(await send('POST', '/v1/locks/handed/release', { ownerToken: first.ownerToken })).toMatchObject({
    status: 200,
  });
  expect(await waiting).toMatchObject({ status: 200, body: { lockId: 'handed' } });
});

test('lock ids of every escape class are locks of their own', async () => {
  const pathOf = (id: string) => `/v1/locks/${encodeLockId(id)}`;
  const tried = await Promise.all(hostileLockIds.map((id) => send('POST', `${pathOf(id)}/try`)));
  expect(tried.map(({ body }) => body.lockId)).toEqual(hostileLockIds);
  const views = await Promise.all(hostileLockIds.map((id) => send('GET', pathOf(id))));
  expect(views.map(({ body }) => [body.lockId, body.fencingToken])).toEqual(
    tried.map(({ body }) => [body.lockId, body.fencingToken]),
  );
});

test.each([
  ['GET', '/', 404],
  ['DELETE', '/v1/locks/a', 404],
  ['GET', '/v1/locks/a/', 404],
  ['POST', '/v1/locks/a/try/', 404],
  ['GET', '/v1/locks/%zz', 400],
])('%s %s is answered %i in the words of the gateway', async (method, path, status) => {
  const message = status === 404 ? 'Not Found' : 'Bad Request';
  expect(await send(method, path)).toMatchObject({ status, body: { message } });
});

test('a body that is no JSON, or no UTF-8, is answered with the documented problem', async () => {
  for (const body of ['{', Uint8Array.of(0x7b, 0xff)]) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${stack.url}/v1/locks/a/try`, { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid-request' }]);
  }
});

test('a web page reaches nothing', async () => {
  const forbidden = { status: 403, body: { message: 'Forbidden' } };
  expect(await send('POST', '/v1/locks/page/try', {}, { origin: 'https://evil.example' })).toMatchObject(forbidden);
  expect(await send('POST', '/v1/locks/page/try', {}, { origin: stack.url })).toMatchObject({ status: 200 });
});

test('a name that was rebound to this machine reaches nothing', async () => {
  const socket = createConnection(Number(new URL(stack.url).port), '127.0.0.1');
  socket.end('GET /v1/admin/locks HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
});

test('it prints no secret while it runs', async () => {
  const ownerToken = 'a-secret-of-the-test-0123456789';
  await send('POST', '/v1/locks/secretive/try', { ownerToken });
  const { body } = await send('GET', '/v1/locks/secretive');
  await send('POST', '/v1/admin/locks/secretive/break', { fencingToken: body.fencingToken });
  await send('POST', '/v1/locks/secretive/renew', { ownerToken });
  expect(stack.output()).not.toContain(ownerToken);
  expect(stack.output()).not.toContain(testKeyPair.secretAccessKey);
});

test('it prints no metrics, whatever there was to count', async () => {
  const { body } = await send('POST', '/v1/locks/counted/try');
  await send('POST', '/v1/admin/locks/counted/break', { fencingToken: body.fencingToken });
  await send('POST', '/v1/locks/counted/renew', { ownerToken: body.ownerToken });
  expect(stack.output()).toContain('"lockId":"counted"');
  expect(stack.output()).not.toMatch(/CloudWatchMetrics|"Grants"/);
});
