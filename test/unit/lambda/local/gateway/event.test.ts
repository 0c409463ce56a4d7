import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { type RunningGateway, runGateway } from './running-gateway.ts';

const now = Date.UTC(2026, 2, 5, 7, 8, 9, 42);
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await runGateway(undefined, { now: () => now });
});

beforeEach(() => {
  gateway.calls.length = 0;
});

afterAll(() => gateway.close());

function received() {
  const [call] = gateway.calls;
  if (!call) throw new Error('no function was called');
  return call;
}

test('an event has the shape of payload format 2.0', async () => {
  const reply = await gateway.send({
    method: 'POST',
    path: '/v1/locks/orders-42/try?a=1',
    headers: { 'user-agent': 'probe/1', 'content-type': 'application/json' },
    body: '{"leaseMs":1000}',
  });
  expect(received().event).toEqual({
    version: '2.0',
    routeKey: 'POST /v1/locks/{lockId}/try',
    rawPath: '/v1/locks/orders-42/try',
    rawQueryString: 'a=1',
    queryStringParameters: { a: '1' },
    headers: {
      'content-length': '16',
      'content-type': 'application/json',
      host: `127.0.0.1:${gateway.port}`,
      'user-agent': 'probe/1',
      'x-amzn-trace-id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-port': String(gateway.port),
      'x-forwarded-proto': 'http',
    },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: '127.0.0.1',
      domainPrefix: '127',
      http: {
        method: 'POST',
        path: '/v1/locks/orders-42/try',
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: 'probe/1',
      },
      requestId: reply.headers['apigw-requestid'],
      routeKey: 'POST /v1/locks/{lockId}/try',
      stage: '$default',
      time: '05/Mar/2026:07:08:09 +0000',
      timeEpoch: now,
    },
    pathParameters: { lockId: 'orders-42' },
    body: '{"leaseMs":1000}',
    isBase64Encoded: false,
  });
});

test('a context counts down from the function time-out and names the function', async () => {
  await gateway.send({ method: 'POST', path: '/v1/locks/a/acquire' });
  const { context } = received();
  expect(context).toMatchObject({ functionName: 'acquire', awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(context.getRemainingTimeInMillis()).toBeLessThanOrEqual(28_000);
  expect(context.getRemainingTimeInMillis()).toBeGreaterThan(20_000);
});

test('every request has an id of its own', async () => {
  const replies = await Promise.all(Array.from({ length: 50 }, () => gateway.send({ path: '/v1/locks/a' })));
  expect(new Set(replies.map(({ headers }) => headers['apigw-requestid'])).size).toBe(50);
  expect(new Set(gateway.calls.map(({ context }) => context.awsRequestId)).size).toBe(50);
});

test('duplicate headers and query parameters are joined by commas, cookies stand apart', async () => {
  const socket = createConnection(gateway.port, '127.0.0.1');
  socket.end(
    [
      'GET /v1/admin/locks?a=1&b=x%20y+z&a=2&a= HTTP/1.1',
      `Host: 127.0.0.1:${gateway.port}`,
      'X-Twice: one',
      'x-twice: two',
      'Content-Type: text/a',
      'content-type: text/b',
      'Cookie: c1=1; c2=2',
      'Cookie: c3=3',
      'Connection: close',
      '',
      '',
    ].join('\r\n'),
  );
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
  const { event } = received();
  expect(event).toMatchObject({
    rawQueryString: 'a=1&b=x%20y+z&a=2&a=',
    queryStringParameters: { a: '1,2,', b: 'x y z' },
    headers: { 'x-twice': 'one,two', 'content-type': 'text/a,text/b' },
    cookies: ['c1=1', 'c2=2', 'c3=3'],
  });
  expect(Object.keys(event.headers)).not.toContain('cookie');
  expect(Object.keys(event.headers)).not.toContain('connection');
});

test('without query, cookies and body their fields are absent', async () => {
  await gateway.send({ path: '/v1/locks/a' });
  const { event } = received();
  expect(event).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
  for (const absent of ['queryStringParameters', 'cookies', 'body']) expect(event).not.toHaveProperty(absent);
});

test('names such as __proto__ are names like any other', async () => {
  await gateway.send({ path: '/v1/admin/locks?__proto__=q', headers: { ['__proto__']: 'h', constructor: 'c' } });
  const { event } = received();
  expect(Object.entries(event.queryStringParameters ?? {})).toEqual([['__proto__', 'q']]);
  expect(event.headers['constructor']).toBe('c');
});

test.each([
  'application/json',
  'Application/JSON; charset=utf-8',
  'text/plain',
  'application/xml',
  'application/javascript',
])('a body of type %s arrives as text', async (type) => {
  await gateway.send({ method: 'POST', path: '/v1/locks/a/try', headers: { 'content-type': type }, body: 'é{' });
  expect(received().event).toMatchObject({ body: 'é{', isBase64Encoded: false });
});

test.each(['application/x-www-form-urlencoded', 'application/octet-stream', 'application/jsonp', undefined])(
  'a body of type %s arrives in base64',
  async (type) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    await gateway.send({ method: 'POST', path: '/v1/locks/a/try', headers, body: Uint8Array.of(0, 255, 128) });
    expect(received().event).toMatchObject({ body: 'AP+A', isBase64Encoded: true });
  },
);

test('JSON that is not UTF-8 arrives as text with replacement characters', async () => {
  const headers = { 'content-type': 'application/json' };
  await gateway.send({ method: 'POST', path: '/v1/locks/a/try', headers, body: Uint8Array.of(0x22, 0xff, 0x22) });
  expect(received().event).toMatchObject({ body: '"\uFFFD"', isBase64Encoded: false });
});
