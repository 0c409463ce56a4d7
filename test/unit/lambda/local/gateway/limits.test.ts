import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type RunningGateway, runGateway } from './running-gateway.ts';

const mebibyte = 1_024 * 1_024;
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await runGateway(async (event) => ({ statusCode: 200, body: String(event.body?.length) }));
});

afterAll(() => gateway.close());

const post = { method: 'POST', path: '/v1/locks/a/try', headers: { 'content-type': 'text/plain' } };

test('a payload of 10 MiB passes, one byte more is too long', async () => {
  expect(await gateway.send({ ...post, body: 'x'.repeat(10 * mebibyte) })).toMatchObject({
    status: 200,
    body: String(10 * mebibyte),
  });
  expect(await gateway.send({ ...post, body: 'x'.repeat(10 * mebibyte + 1) })).toMatchObject({
    status: 413,
    body: '{"message":"Request Too Long"}',
  });
});

test('a payload that does not end is refused as soon as it is over the limit', async () => {
  const request = httpRequest({ port: gateway.port, host: '127.0.0.1', agent: false, ...post });
  const responded = once(request, 'response');
  const chunk = Buffer.alloc(mebibyte, 'x');
  for (let sent = 0; sent <= 10; sent++) request.write(chunk);
  const [response] = await responded;
  expect(response.statusCode).toBe(413);
  const hungUp = once(request, 'error');
  request.destroy(new Error('enough'));
  await hungUp;
});

test('headers of 10,240 bytes pass, one byte more is too large', async () => {
  const path = '/v1/locks/a';
  const host = `127.0.0.1:${gateway.port}`;
  const used = `GET ${path} HTTP/1.1`.length + host.length + 'close'.length;
  const headers = (bytes: number) => ({ host, connection: 'close', 'x-long': 'x'.repeat(bytes - used) });
  expect(await gateway.send({ path, headers: headers(10_240) })).toMatchObject({ status: 200 });
  expect(await gateway.send({ path, headers: headers(10_241) })).toMatchObject({ status: 431 });
  expect(await gateway.send({ path, headers: headers(100_000) })).toMatchObject({ status: 431 });
});

test('a client that goes away in the middle of its body reaches no function, and the next one is served', async () => {
  gateway.calls.length = 0;
  const request = httpRequest({ port: gateway.port, host: '127.0.0.1', agent: false, ...post });
  const hungUp = once(request, 'error');
  request.setHeader('content-length', 10);
  request.write('half');
  await once(request, 'socket').then(([socket]) => once(socket, 'connect'));
  request.destroy(new Error('gone'));
  await hungUp;
  expect(await gateway.send({ ...post, body: 'whole' })).toMatchObject({ status: 200, body: '5' });
  expect(gateway.calls).toHaveLength(1);
});
