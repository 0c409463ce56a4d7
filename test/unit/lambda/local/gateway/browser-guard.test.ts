import { isForeign, isLoopback } from '../../../../../lambda/local/gateway/browser-guard.ts';
import { type RunningGateway, runGateway } from './running-gateway.ts';

test.each(['localhost', 'LOCALHOST', 'api.localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])(
  '%s is loopback',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example', 'localhost.evil.example', ''])(
  '%s is not',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

test.each([
  ['127.0.0.1', '127.0.0.1:3000', undefined, false],
  ['127.0.0.1', 'localhost:8080', undefined, false],
  ['127.0.0.1', '[::1]:3000', undefined, false],
  ['127.0.0.1', 'evil.example:3000', undefined, true],
  ['127.0.0.1', '10.0.0.1:3000', undefined, true],
  ['127.0.0.1', undefined, undefined, true],
  ['127.0.0.1', '127.0.0.1:3000', 'http://127.0.0.1:3000', false],
  ['127.0.0.1', '127.0.0.1:3000', 'http://localhost:3000', true],
  ['127.0.0.1', '127.0.0.1:3000', 'http://127.0.0.1:4000', true],
  ['127.0.0.1', '127.0.0.1:3000', 'https://127.0.0.1:3000', true],
  ['127.0.0.1', '127.0.0.1:3000', 'https://evil.example', true],
  ['127.0.0.1', '127.0.0.1:3000', 'null', true],
  ['127.0.0.1', 'evil.example:3000', 'http://evil.example:3000', true],
  ['0.0.0.0', 'holdfast:3000', undefined, false],
  ['0.0.0.0', '10.0.0.1:3000', 'http://10.0.0.1:3000', false],
  ['0.0.0.0', 'evil.example:3000', 'http://evil.example:3000', true],
  ['build-7', 'build-7:3000', 'http://build-7:3000', false],
])('listening on %s, Host %s with Origin %s: foreign %s', (listening, host, origin, foreign) => {
  const headers = new Map<string, string>();
  if (host !== undefined) headers.set('host', host);
  if (origin !== undefined) headers.set('origin', origin);
  expect(isForeign(headers, listening)).toBe(foreign);
});

describe('over HTTP', () => {
  let gateway: RunningGateway;

  beforeAll(async () => {
    gateway = await runGateway();
  });

  afterAll(() => gateway.close());

  test.each([
    ['an Origin of another site', 'POST', { origin: 'https://evil.example' }],
    [
      'a preflight of another site',
      'OPTIONS',
      { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    ],
    ['a Host that was rebound', 'GET', { host: 'evil.example' }],
  ])('%s is forbidden', async (_what, method, headers) => {
    const reply = await gateway.send({ method, path: '/v1/locks/a/try', headers });
    expect(reply).toMatchObject({ status: 403, body: '{"message":"Forbidden"}' });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(gateway.calls).toEqual([]);
  });
});
