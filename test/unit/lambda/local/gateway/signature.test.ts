import { SignatureV4 } from '@smithy/signature-v4';
import { AwsV4Signer } from 'aws4fetch';
import { Sha256 } from '../../../../../lambda/local/gateway/sha256.ts';
import { testIdentity, testKeyPair } from '../../../../../lambda/local/test-key-pair.ts';
import { encodeLockId } from '../../../../../sdk/wire/lock-id.ts';
import { hostileLockIds } from '../../../../support/hostile-lock-ids.ts';
import { type RunningGateway, runGateway } from './running-gateway.ts';

const now = Date.UTC(2026, 6, 1, 12);
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await runGateway(undefined, { authorization: 'iam', now: () => now });
});

beforeEach(() => {
  gateway.calls.length = 0;
});

afterAll(() => gateway.close());

const forbidden = { status: 403, body: '{"message":"Forbidden"}' };
const json = { 'content-type': 'application/json' };

interface Signed {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

interface Signing {
  secretAccessKey?: string;
  accessKeyId?: string;
  sessionToken?: string;
  service?: string;
  region?: string;
  date?: Date;
}

type Sign = (request: Signed, signing?: Signing) => Promise<Signed>;

const sign: Record<string, Sign> = {
  async 'AWS signer'(request, { service = 'execute-api', region = 'us-east-1', date = new Date(now), ...keys } = {}) {
    const signer = new SignatureV4({ credentials: { ...testKeyPair, ...keys }, service, region, sha256: Sha256 });
    const [path = '', search = ''] = request.path.split('?');
    const query: Record<string, string[]> = {};
    for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
    const host = `127.0.0.1:${gateway.port}`;
    const { headers } = await signer.sign(
      { ...request, path, query, protocol: 'http:', hostname: '127.0.0.1', headers: { ...request.headers, host } },
      { signingDate: date },
    );
    return { ...request, headers };
  },
  async aws4fetch(request, { service = 'execute-api', region = 'us-east-1', date = new Date(now), ...keys } = {}) {
    const signer = new AwsV4Signer({
      ...testKeyPair,
      ...keys,
      method: request.method,
      url: `${gateway.url}${request.path}`,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      service,
      region,
      datetime: date.toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    const { headers } = await signer.sign();
    return { ...request, headers: Object.fromEntries(headers) };
  },
};

const attempt = { method: 'POST', path: '/v1/locks/orders-42/try', headers: json, body: '{"leaseMs":1000}' };

describe.each(Object.entries(sign))('signed by %s', (_name, signWith) => {
  test('a request passes, and the function learns who signed', async () => {
    expect(await gateway.send(await signWith(attempt))).toMatchObject({ status: 200 });
    expect(gateway.calls).toMatchObject([
      { event: { body: attempt.body, requestContext: { authorizer: { iam: testIdentity } } } },
    ]);
  });

  test('requests without a body pass, with a query too, in any Region', async () => {
    for (const path of ['/v1/locks/a', '/v1/admin/locks', '/v1/admin/locks?state=all&limit=10&prefix=a%2Fb%20c~%2B']) {
      const request = await signWith({ method: 'GET', path, headers: {} }, { region: 'eu-central-1' });
      expect(await gateway.send(request)).toMatchObject({ status: 200 });
    }
  });

  test('lock ids of every escape class pass', async () => {
    for (const id of hostileLockIds) {
      const path = `/v1/locks/${encodeLockId(id)}/try`;
      expect(await gateway.send(await signWith({ ...attempt, path }))).toMatchObject({ status: 200 });
    }
    expect(gateway.calls).toHaveLength(hostileLockIds.length);
  });

  test('a path with percent escapes is signed as it is sent', async () => {
    const request = await signWith({ ...attempt, path: '/v1/locks/a%7E2Fb%20%C3%A9/try' });
    expect(await gateway.send(request)).toMatchObject({ status: 200 });
    expect(await gateway.send({ ...request, path: '/v1/locks/a~2Fb%20%C3%A9/try' })).toMatchObject(forbidden);
  });

  test.each<[string, Signing]>([
    ['another secret', { secretAccessKey: 'wrong' }],
    ['another key', { accessKeyId: 'AKIDOTHER' }],
    ['a session that the key pair has not', { sessionToken: 'session' }],
    ['another service', { service: 's3' }],
    ['a date more than 5 minutes ago', { date: new Date(now - 301_000) }],
    ['a date more than 5 minutes ahead', { date: new Date(now + 301_000) }],
  ])('%s is forbidden, for ids of every escape class', async (_what, signing) => {
    for (const id of hostileLockIds) {
      const request = await signWith({ ...attempt, path: `/v1/locks/${encodeLockId(id)}/try` }, signing);
      expect(await gateway.send(request)).toMatchObject(forbidden);
    }
    expect(gateway.calls).toEqual([]);
  });

  test('a date up to 5 minutes off passes', async () => {
    for (const offset of [-300_000, 300_000]) {
      const request = await signWith(attempt, { date: new Date(now + offset) });
      expect(await gateway.send(request)).toMatchObject({ status: 200 });
    }
  });

  test.each<[string, Partial<Signed>]>([
    ['body', { body: '{"leaseMs":9000}' }],
    ['missing body', { body: '' }],
    ['path', { path: '/v1/locks/orders-43/try' }],
    ['trailing slash', { path: '/v1/locks/orders-42/try/' }],
    ['operation', { path: '/v1/locks/orders-42/acquire' }],
    ['query', { path: '/v1/locks/orders-42/try?a=1' }],
  ])('another %s than was signed is forbidden', async (_what, change) => {
    const { headers, ...request } = await signWith(attempt);
    const { 'content-length': _length, ...sent } = headers;
    expect(await gateway.send({ ...request, ...change, headers: sent })).toMatchObject(forbidden);
    expect(gateway.calls).toEqual([]);
  });

  test('a trailing slash that was signed is routed like without', async () => {
    expect(await gateway.send(await signWith({ ...attempt, path: `${attempt.path}/` }))).toMatchObject({ status: 200 });
    expect(gateway.calls).toMatchObject([{ event: { rawPath: '/v1/locks/orders-42/try/' } }]);
  });

  test.each(['authorization', 'x-amz-date', 'host'])('without the header %s it is forbidden', async (name) => {
    const { headers, ...request } = await signWith(attempt);
    const kept = Object.entries(headers).filter(([each]) => each.toLowerCase() !== name);
    // Node adds a Host of its own, here under another name for the same place.
    const host = name === 'host' ? { host: `localhost:${gateway.port}` } : {};
    const reply = await gateway.send({ ...request, headers: { ...Object.fromEntries(kept), ...host } });
    expect(reply).toMatchObject(forbidden);
  });
});

test.each([
  ['nothing', undefined],
  ['Basic', 'Basic YTpi'],
  ['Bearer', 'Bearer abc'],
  ['half a signature', 'AWS4-HMAC-SHA256 Credential=AKIDHOLDFASTLOCAL/20260101/us-east-1/execute-api/aws4_request'],
  [
    'the asymmetric algorithm',
    'AWS4-ECDSA-P256-SHA256 Credential=a/20260101/execute-api/aws4_request, SignedHeaders=host, Signature=00',
  ],
])('%s for authorization is forbidden on every route', async (_what, authorization) => {
  const headers = authorization === undefined ? {} : { authorization };
  for (const id of hostileLockIds) {
    expect(await gateway.send({ path: `/v1/locks/${encodeLockId(id)}`, headers })).toMatchObject(forbidden);
    expect(await gateway.send({ path: `/v1/locks/${encodeLockId(id)}/`, headers })).toMatchObject(forbidden);
  }
  expect(gateway.calls).toEqual([]);
});

test('a body hash that is declared but not true, or declared unsigned, is forbidden', async () => {
  const signer = sign['AWS signer'] as Sign;
  const headers = { ...json, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  expect(await gateway.send(await signer({ ...attempt, headers }))).toMatchObject(forbidden);
});

test('a signature that covers neither host nor date is forbidden', async () => {
  const { headers, ...request } = await (sign['AWS signer'] as Sign)(attempt);
  const authorization = headers['authorization']?.replace(/SignedHeaders=[^,]+/, 'SignedHeaders=content-type') ?? '';
  expect(await gateway.send({ ...request, headers: { ...headers, authorization } })).toMatchObject(forbidden);
});

test('a route that does not exist is not found, signed or not', async () => {
  const request = { method: 'GET', path: '/v1/nothing', headers: {} };
  expect(await gateway.send(request)).toMatchObject({ status: 404 });
  expect(await gateway.send(await (sign['aws4fetch'] as Sign)(request))).toMatchObject({ status: 404 });
});
