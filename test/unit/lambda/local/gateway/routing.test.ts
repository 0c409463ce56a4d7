import { encodeLockId } from '../../../../../sdk/wire/lock-id.ts';
import { hostileLockIds } from '../../../../support/hostile-lock-ids.ts';
import { type RunningGateway, runGateway } from './running-gateway.ts';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await runGateway();
});

beforeEach(() => {
  gateway.calls.length = 0;
});

afterAll(() => gateway.close());

const notFound = { status: 404, body: '{"message":"Not Found"}' };

test.each([
  ['POST', '/v1/locks/a/try', 'lease', 'POST /v1/locks/{lockId}/try'],
  ['POST', '/v1/locks/a/acquire', 'acquire', 'POST /v1/locks/{lockId}/acquire'],
  ['POST', '/v1/locks/a/renew', 'lease', 'POST /v1/locks/{lockId}/renew'],
  ['POST', '/v1/locks/a/release', 'lease', 'POST /v1/locks/{lockId}/release'],
  ['GET', '/v1/locks/a', 'admin', 'GET /v1/locks/{lockId}'],
  ['POST', '/v1/admin/locks/a/break', 'admin', 'POST /v1/admin/locks/{lockId}/break'],
])('%s %s goes to the %s function', async (method, path, name, routeKey) => {
  expect(await gateway.send({ method, path })).toMatchObject({ status: 200 });
  expect(gateway.calls).toMatchObject([{ name, event: { routeKey, rawPath: path, pathParameters: { lockId: 'a' } } }]);
});

test('the list has no path parameters', async () => {
  await gateway.send({ path: '/v1/admin/locks?limit=3' });
  expect(gateway.calls).toMatchObject([{ name: 'admin', event: { routeKey: 'GET /v1/admin/locks' } }]);
  expect(gateway.calls[0]?.event).not.toHaveProperty('pathParameters');
});

test.each([
  ['GET', '/'],
  ['GET', '/v1/locks'],
  ['GET', '/v1/locks/'],
  ['GET', '/v2/locks/a'],
  ['POST', '/v1/locks/a'],
  ['GET', '/v1/locks/a/try'],
  ['HEAD', '/v1/locks/a'],
  ['OPTIONS', '/v1/locks/a'],
  ['DELETE', '/v1/locks/a'],
  ['POST', '/v1/locks//try'],
  ['POST', '//v1/locks/a/try'],
  ['POST', '/v1/locks/a/try//'],
  ['POST', '/v1/locks/a/b/try'],
  ['POST', '/v1/locks/a%2Fb/try'],
  ['POST', '/v1/locks/a%3Fb/try'],
  ['POST', '/V1/locks/a/try'],
])('%s %s is not a route', async (method, path) => {
  const reply = await gateway.send({ method, path });
  expect(reply).toMatchObject(method === 'HEAD' ? { status: 404 } : notFound);
  expect(reply.headers).toMatchObject({ 'content-type': 'application/json', 'apigw-requestid': expect.any(String) });
  expect(gateway.calls).toEqual([]);
});

test('one trailing slash is routed too, and the function sees it', async () => {
  expect(await gateway.send({ method: 'POST', path: '/v1/locks/a/try/' })).toMatchObject({ status: 200 });
  expect(gateway.calls).toMatchObject([
    {
      event: { routeKey: 'POST /v1/locks/{lockId}/try', rawPath: '/v1/locks/a/try/', pathParameters: { lockId: 'a' } },
    },
  ]);
});

test('routes are matched on the decoded path', async () => {
  await gateway.send({ method: 'POST', path: '/v1/%6Cocks/a%7E2F%20%C3%A9/try' });
  expect(gateway.calls).toMatchObject([
    { event: { rawPath: '/v1/locks/a~2F é/try', pathParameters: { lockId: 'a~2F é' } } },
  ]);
});

test('the decoded path is cut at a decoded question mark', async () => {
  await gateway.send({ path: '/v1/locks/a%3Fb/try?limit=1' });
  expect(gateway.calls).toMatchObject([
    { event: { rawPath: '/v1/locks/a', rawQueryString: 'limit=1', pathParameters: { lockId: 'a' } } },
  ]);
});

test.each(['/v1/locks/%zz', '/v1/locks/%', '/v1/locks/%2', '/v1/locks/%FF', '/v1/locks/%C3'])(
  '%s has malformed escapes: bad request',
  async (path) => {
    expect(await gateway.send({ path })).toMatchObject({ status: 400, body: '{"message":"Bad Request"}' });
    expect(gateway.calls).toEqual([]);
  },
);

test('a request for a whole URL, as a proxy gets it, is a bad request', async () => {
  expect(await gateway.send({ path: 'http://127.0.0.1/v1/locks/a' })).toMatchObject({ status: 400 });
});

test('every escaped lock id arrives as it was escaped', async () => {
  for (const id of hostileLockIds) await gateway.send({ path: `/v1/locks/${encodeLockId(id)}` });
  const arrived = gateway.calls.map(({ event }) => event.pathParameters?.['lockId']);
  expect(arrived).toEqual(hostileLockIds.map(encodeLockId));
});
