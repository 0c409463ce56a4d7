import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type RunningGateway, runGateway } from './running-gateway.ts';

let gateway: RunningGateway;

afterEach(() => gateway.close());

const unavailable = { status: 503, body: '{"message":"Service Unavailable"}' };
const failed = { status: 500, body: '{"message":"Internal Server Error"}' };

/** A function that answers when it is told to. */
function slowFunction() {
  let finish = (_result: unknown) => {};
  const result = new Promise((resolve) => {
    finish = resolve;
  });
  let called = () => {};
  const wasCalled = new Promise<void>((resolve) => {
    called = resolve;
  });
  const handler = () => {
    called();
    return result;
  };
  return { handler, finish, wasCalled };
}

test.each([
  ['rejects', async () => Promise.reject(new Error('broken'))],
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
])('a function that %s is an internal server error, and is reported', async (_how, handler) => {
  gateway = await runGateway(handler);
  expect(await gateway.send({ path: '/v1/locks/a' })).toMatchObject(failed);
  expect(gateway.reported).toEqual([new Error('broken')]);
});

test('a function that is not ready in time is cut, and runs on', async () => {
  const { handler, finish } = slowFunction();
  let ended: unknown;
  gateway = await runGateway(() => handler().then((result) => (ended = result)), { integrationTimeoutMs: 20 });
  expect(await gateway.send({ path: '/v1/locks/a' })).toMatchObject(unavailable);
  finish('late');
  await new Promise(setImmediate);
  expect(ended).toBe('late');
});

test('a function that fails after it was cut takes nothing down', async () => {
  const { handler, finish } = slowFunction();
  gateway = await runGateway(() => handler().then(() => Promise.reject(new Error('late'))), {
    integrationTimeoutMs: 20,
  });
  expect(await gateway.send({ path: '/v1/locks/a' })).toMatchObject(unavailable);
  finish(undefined);
  await new Promise(setImmediate);
  expect(gateway.reported).toEqual([new Error('late')]);
});

test('when the stack stops, whoever waits is told, and its connection ends', async () => {
  const { handler, wasCalled } = slowFunction();
  gateway = await runGateway(handler);
  const reply = gateway.send({ path: '/v1/locks/a', headers: { connection: 'keep-alive' } });
  await wasCalled;
  gateway.stopping.abort();
  expect(await reply).toMatchObject({ ...unavailable, headers: { connection: 'close' } });
  expect(await gateway.send({ path: '/v1/locks/a' })).toMatchObject(unavailable);
});

test('a client that hangs up does not stop the function', async () => {
  const { handler, finish, wasCalled } = slowFunction();
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  gateway = await runGateway(() => handler().finally(ended));
  const request = httpRequest({ port: gateway.port, host: '127.0.0.1', path: '/v1/locks/a', agent: false });
  const hungUp = once(request, 'error');
  request.end();
  await wasCalled;
  request.destroy(new Error('hung up'));
  await hungUp;
  finish({ statusCode: 200 });
  await end;
  expect(await gateway.send({ path: '/v1/locks/a' })).toMatchObject({ status: 200 });
});

test('many functions run at once', async () => {
  const { handler, finish } = slowFunction();
  gateway = await runGateway(async (event) => {
    if (gateway.calls.length === 200) finish(undefined);
    await handler();
    return { statusCode: 200, body: event.pathParameters?.['lockId'] };
  });
  const ids = Array.from({ length: 200 }, (_, at) => `lock-${at}`);
  const replies = await Promise.all(ids.map((id) => gateway.send({ path: `/v1/locks/${id}` })));
  expect(replies.map(({ body }) => body)).toEqual(ids);
});
