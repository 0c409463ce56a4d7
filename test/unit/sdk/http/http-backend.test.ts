import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { Answer, ListRequest } from '../../../../sdk/backend.ts';
import { HttpBackend } from '../../../../sdk/http/http-backend.ts';
import { noSigner, type Signer } from '../../../../sdk/http/signer.ts';

const ownerToken = 'secret-token-of-owner-1';
const lease = {
  lockId: 'a/ü',
  ownerToken,
  fencingToken: 7,
  leaseMs: 30_000,
  expiresInMs: 30_000,
  expiresAt: '2026-01-01T00:00:00.000Z',
  provisional: false,
  waiters: 0,
};
const view = { lockId: 'a/ü', state: 'held', fencingToken: 7, holder: 'me', principal: 'local', waiters: 0 } as const;
const problem = (status: number, code: string, members: object = {}) => ({
  status,
  body: {
    type: `urn:holdfast:problem:${code}`,
    title: 't',
    status,
    detail: 'the detail',
    code,
    requestId: 'r-1',
    ...members,
  },
});

let server: Server;
let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
let reply: (response: ServerResponse, request: IncomingMessage) => void;

beforeEach(async () => {
  seen = [];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    reply(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const url = (path = '') => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
const answerWith =
  ({ status, body, headers = {} }: { status: number; body: unknown; headers?: Record<string, string> }) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const send = (timeoutMs = 5_000, signer: Signer = noSigner): Promise<Answer> =>
  new HttpBackend(url(), signer).try({ lockId: 'a/ü', ownerToken, leaseMs: 30_000, holder: undefined }, timeoutMs);

describe('a request', () => {
  it('goes to the canonical path of the lock, behind the path of the address, as JSON', async () => {
    reply = answerWith({ status: 200, body: lease });
    const backend = new HttpBackend(url('/stage/'), noSigner);
    const request = { lockId: 'a/ü', ownerToken, leaseMs: 30_000, holder: 'me' };
    await backend.try(request, 5_000);
    const { signal } = new AbortController();
    await backend.acquire({ ...request, waitMs: 100, resume: true, signal }, 5_000);
    await backend.renew(request, 5_000);
    await backend.release({ ...request, expectWaiters: false }, 5_000);
    await backend.release({ ...request, expectWaiters: true }, 5_000);
    expect(seen.map(({ method, url: path, body }) => [method, path, JSON.parse(body)])).toEqual([
      ['POST', '/stage/v1/locks/a~2F~C3~BC/try', { ownerToken, leaseMs: 30_000, holder: 'me' }],
      [
        'POST',
        '/stage/v1/locks/a~2F~C3~BC/acquire',
        { ownerToken, leaseMs: 30_000, holder: 'me', waitMs: 100, resume: true, confirm: true, keepPlace: true },
      ],
      ['POST', '/stage/v1/locks/a~2F~C3~BC/renew', { ownerToken, leaseMs: 30_000, holder: 'me' }],
      ['POST', '/stage/v1/locks/a~2F~C3~BC/release', { ownerToken }],
      ['POST', '/stage/v1/locks/a~2F~C3~BC/release', { ownerToken, expectWaiters: true }],
    ]);
    expect(seen[0]?.headers['content-type']).toBe('application/json');
  });

  it('to look at a lock has no body', async () => {
    reply = answerWith({ status: 200, body: view });
    await new HttpBackend(url('/stage'), noSigner).inspect('a/ü', 5_000);
    expect(seen).toMatchObject([{ method: 'GET', url: '/stage/v1/locks/a~2F~C3~BC', body: '' }]);
    expect(seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it('to list locks asks in its query, with percent escapes only', async () => {
    reply = answerWith({ status: 200, body: { locks: [] } });
    const backend = new HttpBackend(url('/stage'), noSigner);
    const request: ListRequest = { prefix: '', state: 'held', limit: 100, cursor: undefined };
    await backend.list(request, 5_000);
    await backend.list({ prefix: 'a b+c&d=%2F?#é🔒', state: 'all', limit: 1, cursor: 'a~2F&x=1' }, 5_000);
    expect(seen.map(({ method, url: path, body }) => [method, path, body])).toEqual([
      ['GET', '/stage/v1/admin/locks?state=held&limit=100', ''],
      [
        'GET',
        '/stage/v1/admin/locks?prefix=a%20b%2Bc%26d%3D%252F%3F%23%C3%A9%F0%9F%94%92&state=all&limit=1&cursor=a~2F%26x%3D1',
        '',
      ],
    ]);
  });

  it('to break a hold names it by its fencing token', async () => {
    reply = answerWith({ status: 200, body: { broken: true, lock: view } });
    const backend = new HttpBackend(url(), noSigner);
    await backend.break({ lockId: 'a/ü', fencingToken: 7, note: 'gone' }, 5_000);
    await backend.break({ lockId: 'a/ü', fencingToken: 7, note: undefined }, 5_000);
    expect(seen.map(({ method, url: path, body }) => [method, path, JSON.parse(body)])).toEqual([
      ['POST', '/v1/admin/locks/a~2F~C3~BC/break', { fencingToken: 7, note: 'gone' }],
      ['POST', '/v1/admin/locks/a~2F~C3~BC/break', { fencingToken: 7 }],
    ]);
  });
});

describe('an answer', () => {
  const unknown = { outcomeUnknown: true };

  it.each([
    [
      'a lease',
      { status: 200, body: lease },
      { kind: 'granted', fencingToken: 7, leaseMs: 30_000, provisional: false, waiters: 0 },
    ],
    ['a release', { status: 200, body: { released: true } }, { kind: 'released' }],
    [
      'lock-held',
      problem(409, 'lock-held', { holder: 'h', expiresInMs: 5, retryAfterMs: 250 }),
      { kind: 'held', holder: 'h', expiresInMs: 5, retryAfterMs: 250 },
    ],
    ['still-waiting', problem(409, 'still-waiting', { retryAfterMs: 9 }), { kind: 'waiting', retryAfterMs: 9 }],
    [
      'still-waiting with a place',
      problem(409, 'still-waiting', { retryAfterMs: 9, position: 3 }),
      { kind: 'waiting', position: 3 },
    ],
    ['place-lost', problem(409, 'place-lost'), { kind: 'spent' }],
    ['lease-lost', problem(409, 'lease-lost', { reason: 'broken' }), { kind: 'lost', reason: 'broken' }],
    ['token-spent', problem(409, 'token-spent'), { kind: 'spent' }],
    ['throttled', problem(429, 'throttled'), { kind: 'throttled', error: { outcomeUnknown: false } }],
    ['a bare 429', { status: 429, body: '' }, { kind: 'throttled' }],
    [
      'internal',
      problem(500, 'internal'),
      { kind: 'unknown', answered: true, error: { requestId: 'r-1', ...unknown } },
    ],
    ['store-unavailable', problem(503, 'store-unavailable'), { kind: 'unknown', answered: true, error: unknown }],
    [
      'a bare 503',
      { status: 503, body: '{"message":"Service Unavailable"}' },
      { kind: 'unknown', answered: true, error: unknown },
    ],
    ['a bare 502', { status: 502, body: '<html>' }, { kind: 'unknown', answered: true, error: unknown }],
    ['invalid-request', problem(400, 'invalid-request'), { kind: 'refused', error: { code: 'illegal-argument' } }],
    ['a bare 400', { status: 400, body: '' }, { kind: 'refused', error: { code: 'lock-service' } }],
    ['a bare 401', { status: 401, body: '' }, { kind: 'refused', error: { code: 'forbidden' } }],
    ['forbidden', problem(403, 'forbidden'), { kind: 'refused', error: { code: 'forbidden' } }],
    ['a bare 403', { status: 403, body: '{"message":"Forbidden"}' }, { kind: 'refused', error: { code: 'forbidden' } }],
    [
      'a bare 404',
      { status: 404, body: '{"message":"Not Found"}' },
      { kind: 'refused', error: { code: 'lock-service' } },
    ],
    [
      'too-large',
      problem(413, 'too-large'),
      { kind: 'refused', error: { code: 'lock-service', requestId: 'r-1', outcomeUnknown: false } },
    ],
    ['a 415', problem(415, 'unsupported-media-type'), { kind: 'refused', error: { code: 'lock-service' } }],
    ['a 409 of somebody else', { status: 409, body: 'conflict' }, { kind: 'refused', error: { code: 'lock-service' } }],
    ['a success of somebody else', { status: 202, body: '' }, { kind: 'unknown', answered: true, error: unknown }],
    ['a page of somebody else', { status: 200, body: '<html>' }, { kind: 'unknown', answered: true, error: unknown }],
  ])('of %s is read as what it says', async (_name, answer, expected) => {
    reply = answerWith(answer);
    expect(await send()).toMatchObject(expected);
  });

  const inspected = () => new HttpBackend(url(), noSigner).inspect('a/ü', 5_000);
  const listed = () =>
    new HttpBackend(url(), noSigner).list({ prefix: '', state: 'held', limit: 9, cursor: undefined }, 5_000);
  const broken = () =>
    new HttpBackend(url(), noSigner).break({ lockId: 'a/ü', fencingToken: 7, note: undefined }, 5_000);

  it.each([
    ['a look', inspected, { status: 200, body: { ...view, later: 1 } }, { kind: 'viewed', view }],
    [
      'a page',
      listed,
      { status: 200, body: { locks: [view], cursor: 'a' } },
      { kind: 'listed', views: [view], cursor: 'a' },
    ],
    ['the last page', listed, { status: 200, body: { locks: [] } }, { kind: 'listed', views: [], cursor: undefined }],
    ['a break', broken, { status: 200, body: { broken: true, lock: view } }, { kind: 'broken', view }],
    ['holder-changed', broken, problem(409, 'holder-changed', { lock: view }), { kind: 'holder-changed', view }],
    ['not-held', broken, problem(409, 'not-held'), { kind: 'not-held' }],
  ])('to %s is read as what it says', async (_name, ask, answer, expected) => {
    reply = answerWith(answer);
    expect(await ask()).toEqual(expected);
  });

  it.each([
    ['a look', inspected],
    ['a page', listed],
    ['a break', broken],
  ])('that is none to %s, or a failure, is told from one', async (_name, ask) => {
    const answers = [];
    for (const answer of [
      { status: 200, body: lease },
      { status: 200, body: '<html>' },
      problem(409, 'lock-held'),
      problem(409, 'holder-changed'),
      problem(429, 'throttled'),
      problem(503, 'store-unavailable'),
      problem(403, 'forbidden'),
      problem(400, 'invalid-request'),
    ]) {
      reply = answerWith(answer);
      answers.push(await ask());
    }
    reply = (response) => response.destroy();
    answers.push(await ask());
    expect(answers).toMatchObject([
      { kind: 'unknown', answered: true },
      { kind: 'unknown', answered: true },
      { kind: 'refused', error: { code: 'lock-service' } },
      { kind: 'refused', error: { code: 'lock-service' } },
      { kind: 'throttled' },
      { kind: 'unknown', answered: true },
      { kind: 'refused', error: { code: 'forbidden' } },
      { kind: 'refused', error: { code: 'illegal-argument' } },
      { kind: 'unknown', answered: false },
    ]);
  });

  it('takes the request id of the gateway where the body has none', async () => {
    reply = answerWith({ status: 500, body: '', headers: { 'apigw-requestid': 'g-1' } });
    expect(await send()).toMatchObject({ error: { requestId: 'g-1' } });
  });

  it('that grants the lock to another owner token is none to this request: nobody knows what came of it', async () => {
    const strange = { kind: 'unknown', answered: true, error: { outcomeUnknown: true } };
    reply = answerWith({ status: 200, body: { ...lease, ownerToken: 'secret-token-of-owner-2' } });
    expect(await send()).toMatchObject(strange);
    const heir = { ownerToken: 'secret-token-of-owner-3', leaseMs: 30_000, holder: undefined };
    const release = () =>
      new HttpBackend(url(), noSigner).release({ lockId: 'a/ü', ownerToken, expectWaiters: false, heir }, 5_000);
    reply = answerWith({ status: 200, body: { released: true, heir: lease } });
    expect(await release()).toMatchObject(strange);
    reply = answerWith({ status: 200, body: { released: true, heir: { ...lease, ownerToken: heir.ownerToken } } });
    expect(await release()).toMatchObject({ kind: 'released', heir: { kind: 'granted', fencingToken: 7 } });
  });

  it('that redirects is not followed: the owner token stays here', async () => {
    reply = (response) => response.writeHead(307, { location: url('/elsewhere').href }).end();
    expect(await send()).toMatchObject({ kind: 'refused' });
    expect(seen).toHaveLength(1);
  });
});

describe('no answer', () => {
  it('is an unknown outcome when the connection is reset', async () => {
    reply = (response) => response.destroy();
    expect(await send()).toMatchObject({ kind: 'unknown', answered: false, error: { outcomeUnknown: true } });
  });

  it('is an unknown outcome when the body breaks off', async () => {
    reply = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    };
    expect(await send()).toMatchObject({ kind: 'unknown', answered: false });
  });

  it.each([
    ['at all', () => undefined],
    ['but the head', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
  ])('%s until the time-out is an unknown outcome, and says so', async (_name, silence) => {
    reply = silence;
    const answer = await send(200);
    expect(answer).toMatchObject({ kind: 'unknown', answered: false });
    expect(answer).toHaveProperty('error.message', expect.stringContaining('no answer within 200 ms'));
  });

  it('is an unknown outcome when nobody listens, and says what failed', async () => {
    const closed = url();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const answer = await new HttpBackend(closed, noSigner).release(
      { lockId: 'a', ownerToken, expectWaiters: false },
      5_000,
    );
    // Nothing was sent, so nothing needs to be cleaned up.
    expect(answer).toMatchObject({ kind: 'unknown', answered: false, error: { outcomeUnknown: false } });
    expect(answer).toHaveProperty('error.message', expect.stringContaining('ECONNREFUSED'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
});

describe('signing', () => {
  const signer = (learned: boolean): Signer & { signed: number; dates: (string | null)[] } => ({
    signed: 0,
    dates: [],
    async sign({ headers }) {
      this.signed++;
      return { ...headers, authorization: `signature ${this.signed}` };
    },
    learn(date) {
      this.dates.push(date);
      return learned;
    },
  });

  it('happens for each request', async () => {
    reply = answerWith({ status: 200, body: lease });
    const each = signer(false);
    await send(5_000, each);
    await send(5_000, each);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['signature 1', 'signature 2']);
  });

  it('is repeated once when a 403 teaches that the clock is off, and only then', async () => {
    const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
    reply = answerWith({ status: 403, body: '{"message":"Forbidden"}', headers: { date } });
    const learning = signer(true);
    expect(await send(5_000, learning)).toMatchObject({ kind: 'refused', error: { code: 'forbidden' } });
    expect(seen).toHaveLength(2);
    expect(learning.dates).toEqual([date]);
    await send(5_000, signer(false));
    expect(seen).toHaveLength(3);
  });

  it('that fails sends nothing', async () => {
    const failing = { ...noSigner, sign: () => Promise.reject(new Error('no credentials')) };
    expect(await send(5_000, failing)).toMatchObject({
      kind: 'refused',
      error: { code: 'lock-service', outcomeUnknown: false },
    });
    expect(seen).toEqual([]);
  });
});

it('never puts the owner token into an error, not even when the answer repeats the request', async () => {
  const answers: Answer[] = [];
  for (const status of [400, 401, 403, 404, 409, 413, 429, 500, 503]) {
    reply = answerWith(problem(status, 'invalid-request', { detail: `got ${ownerToken}` }));
    answers.push(await send());
  }
  reply = (response) => response.destroy();
  answers.push(await send());
  // The runtime keeps what it could not read.
  reply = (response) => response.socket?.end(`no HTTP: ${ownerToken}`);
  answers.push(await send());
  const errors = answers.flatMap((answer) => ('error' in answer ? [answer.error] : []));
  expect(errors).toHaveLength(11);
  for (const error of errors) {
    expect(`${inspect(error, { depth: null })} ${JSON.stringify(error)}`).not.toContain(ownerToken);
  }
});

it('never puts what authorized a request into an error, not even when the answer repeats it', async () => {
  const secrets = ['secret-of-a-bearer', 'session+token/of=='];
  const signer: Signer = {
    ...noSigner,
    sign: async ({ headers }) => ({
      ...headers,
      authorization: `Bearer ${secrets[0]}`,
      'x-amz-security-token': `${secrets[1]}`,
    }),
  };
  for (const status of [400, 403, 500]) {
    reply = (response, { headers }) => {
      const detail = `got ${headers.authorization?.slice('Bearer '.length)} and ${headers['x-amz-security-token']}`;
      answerWith(problem(status, 'invalid-request', { detail }))(response);
    };
    const answer = await send(5_000, signer);
    const { error } = answer as Extract<Answer, { error: unknown }>;
    expect(error.message).toContain('got … and …');
    for (const secret of secrets) {
      expect(`${inspect(error, { depth: null })} ${JSON.stringify(error)}`).not.toContain(secret);
    }
  }
});

it('credentials that never come end with the time of the request, and nothing is sent', async () => {
  reply = answerWith({ status: 200, body: lease });
  const answer = await send(100, { ...noSigner, sign: () => new Promise(() => undefined) });
  expect(answer).toMatchObject({ kind: 'unknown', answered: false });
  expect(seen).toEqual([]);
});

it('an address with an empty query or fragment is the same address', async () => {
  reply = answerWith({ status: 200, body: lease });
  for (const end of ['/?', '/#', '?#']) {
    const backend = new HttpBackend(url(end), noSigner);
    await backend.release({ lockId: 'a', ownerToken, expectWaiters: false }, 5_000);
  }
  expect(seen.map(({ url: path }) => path)).toEqual(Array(3).fill('/v1/locks/a/release'));
});

it('closes without anything to give back, and can be closed again', () => {
  const backend = new HttpBackend(url(), noSigner);
  backend.close();
  backend.close();
});

describe('the traceparent', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const sentWith = async (source: () => string | undefined) => {
    reply = answerWith({ status: 200, body: lease });
    await new HttpBackend(url(), noSigner, source).renew(
      { lockId: 'a', ownerToken, leaseMs: 30_000, holder: 'h' },
      5_000,
    );
    return seen[0]?.headers['traceparent'];
  };

  it('goes with each request as a header', async () => {
    expect(await sentWith(() => traceparent)).toBe(traceparent);
  });

  it.each([
    ['nothing', () => undefined],
    ['something else', () => 'x\r\nauthorization: y'],
    ['of the forbidden version', () => `ff${traceparent.slice(2)}`],
    ['a failure to come', () => Promise.reject(new Error('no tracer')) as never],
    [
      'an error',
      () => {
        throw new Error('no tracer');
      },
    ],
  ])('that is %s costs the request nothing', async (_what, source) => {
    expect(await sentWith(source)).toBeUndefined();
    expect(seen).toHaveLength(1);
  });
});
