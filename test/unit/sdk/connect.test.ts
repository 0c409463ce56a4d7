import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IllegalArgumentError, LockFactory } from '../../../sdk/index.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { expectNoSecretIn } from '../../support/secrets.ts';

describe('connect', () => {
  it.each<unknown>([
    undefined,
    {},
    { url: '' },
    { url: 'locks' },
    { url: 'ftp://locks' },
    { url: 'https://user:pass@locks' },
    { url: 'https://locks?x=1' },
    { url: 'https://locks#x' },
    { url: 'https://locks', leaseMs: 5 },
    { url: 'https://locks', leaseMS: 5_000 },
    { url: 'https://locks', unreachableAfterMs: 0 },
    { url: 'https://locks', unreachableAfterMs: Number.NaN },
    { url: 'https://locks', credentials: {} },
    { url: 'https://locks', credentials: 'key' },
    { url: 'https://locks', region: '' },
    { url: 'https://locks', waitMs: 5 },
    { url: 'https://locks', urls: { 'eu-central-1': 'https://locks' } },
    { urls: {} },
    { urls: [] },
    { urls: ['https://locks'] },
    { urls: 'https://locks' },
    { urls: null },
    { urls: new Map([['eu-central-1', 'https://locks']]) },
    { urls: { '': 'https://locks' } },
    // An object would put it before the others.
    { urls: { 'eu-central-1': 'https://locks', 1: 'https://locks' } },
    { urls: { 'EU-CENTRAL-1': 'https://locks' } },
    { urls: { 'eu-central-1': 'https://locks', 'eu-west-1': 'locks' } },
    { urls: { 'eu-central-1': undefined } },
    { urls: { 'eu-central-1': 'https://locks?x=1' } },
    { urls: { 'eu-central-1': 'https://abc123.execute-api.eu-west-1.amazonaws.com' } },
    { urls: { 'eu-central-1': 'https://locks' }, region: 'eu-central-1' },
    { url: 'https://locks', authorization: 'Bearer x' },
    { url: 'https://locks', authorization: null },
    { url: 'https://locks', authorization: () => 'Bearer x', credentials: () => undefined, region: 'eu-central-1' },
    { url: 'http://locks', authorization: () => 'Bearer x' },
    { url: 'http://127.0.0.1.example.com', authorization: () => 'Bearer x' },
    { urls: { a: 'https://locks', b: 'http://10.0.0.1:3000' }, authorization: () => 'Bearer x' },
  ])('refuses %p', (options) => {
    expect(() => LockFactory.connect(options as never)).toThrow(IllegalArgumentError);
  });

  it.each([' https://locks', 'https://locks\n', 'https://lo\ncks', 'https://locks/a b', 'https://locks/\u0001'])(
    'refuses white space and control characters in an address, of which a parser drops some in silence: %j',
    (url) => {
      for (const options of [{ url }, { urls: { 'eu-central-1': url } }]) {
        expect(() => LockFactory.connect(options)).toThrow(/without white space, .*, got "/);
      }
    },
  );

  it.each(['memory:', 'memory:test', 'dynamodb://locks'])('points to the entry that understands %s', (url) => {
    expect(() => LockFactory.connect({ url })).toThrow('holdfast/auto');
  });

  it.each([
    'https://user:hunter2@locks',
    'https://user:hunter2@locks:99999',
    'user:hunter2@locks.example.com',
    'memory:user:hunter2@locks',
    'https://locks?password=hunter2',
    'https://locks#hunter2',
  ])('does not show what may be a password in an address that it refuses: %s', (url) => {
    expect(() => LockFactory.connect({ url })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

/** An address at which nobody listens. */
async function deadUrl(): Promise<string> {
  let dead = '';
  await headersDuring(async (url) => {
    dead = url;
  });
  return dead;
}

/** Runs an endpoint that knows no locks, and gives the headers of every request that came in meanwhile. */
async function headersDuring(use: (url: string) => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const headers: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return headers;
}

describe('several Regions', () => {
  it.each([
    [{ 'eu-central-1': 'https://abc123.execute-api.eu-central-1.amazonaws.com', 'eu-west-1': 'https://locks/stage' }],
    [{ 'eu-central-1': 'https://locks' }],
    [{ local: 'http://127.0.0.1:3000', other: 'http://127.0.0.1:3001' }],
  ])('may be %p', (urls) => {
    expect(() => LockFactory.connect({ urls })).not.toThrow();
    expect(() => LockFactory.connect({ urls, credentials: { accessKeyId: 'a', secretAccessKey: 's' } })).not.toThrow();
  });

  it('are asked in their order, and each request is signed for the Region that it goes to', async () => {
    const dead = await deadUrl();
    const headers = await headersDuring(async (working) => {
      const urls = { 'eu-west-9': dead, 'eu-central-1': working };
      const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 's' };
      const attempt = LockFactory.connect({ urls, credentials }).createLock('a').tryLock();
      await expect(attempt).rejects.toMatchObject({ code: 'lock-service', message: expect.stringContaining('404') });
      const signed = LockFactory.connect({ urls: { 'eu-north-1': working }, credentials }).inspect('a');
      await expect(signed).rejects.toMatchObject({ code: 'lock-service' });
    });
    expect(headers).toMatchObject([
      { authorization: expect.stringMatching(/\/eu-central-1\/execute-api\/aws4_request/) },
      { authorization: expect.stringMatching(/\/eu-north-1\/execute-api\/aws4_request/) },
    ]);
  });
});

describe('authorization', () => {
  const secret = 'eyJhbGciOiJub25lIn0.c2VjcmV0LW9mLXRoZS1jYWxsZXI.';

  it('is asked before each request, and is its header', async () => {
    let asked = 0;
    const headers = await headersDuring(async (url) => {
      const locks = LockFactory.connect({ url, authorization: async () => `Bearer ${secret}${++asked}` });
      await expect(locks.inspect('a')).rejects.toMatchObject({ code: 'lock-service' });
      await expect(locks.createLock('a').tryLock()).rejects.toMatchObject({ code: 'lock-service' });
    });
    expect(headers.map(({ authorization }) => authorization)).toEqual([`Bearer ${secret}1`, `Bearer ${secret}2`]);
    expect(headers.at(-1)).toMatchObject({ 'content-type': 'application/json' });
  });

  it.each([
    ['line breaks', `Bearer ${secret}\r\nx: y`],
    ['a space before it', ` ${secret}`],
    ['a space behind it', `${secret} `],
    ['other than ASCII', `Bearer ${secret}é`],
    ['no text', { secret }],
    ['nothing', undefined],
    ['an empty text', ''],
  ])('with %s is refused typed, sends nothing, and is not quoted', async (_name, value) => {
    const headers = await headersDuring(async (url) => {
      const locks = LockFactory.connect({ url, authorization: () => value as string });
      const error = await rejectionOf(locks.createLock('a').lock());
      expect(error).toBeInstanceOf(IllegalArgumentError);
      expectNoSecretIn(error, secret);
    });
    expect(headers).toEqual([]);
  });

  it('that fails is an error of the service with its cause, and sends nothing', async () => {
    const cause = new Error('the identity provider is away');
    const headers = await headersDuring(async (url) => {
      const locks = LockFactory.connect({ url, authorization: () => Promise.reject(cause) });
      await expect(locks.inspect('a')).rejects.toMatchObject({ code: 'lock-service', outcomeUnknown: false, cause });
    });
    expect(headers).toEqual([]);
  });

  it('is in no error and in nothing that a factory shows', async () => {
    const authorization = () => `Bearer ${secret}`;
    const errors = [await rejectionOf(LockFactory.connect({ url: await deadUrl(), authorization }).inspect('a'))];
    await headersDuring(async (url) => {
      const locks = LockFactory.connect({ url, authorization });
      errors.push(await rejectionOf(locks.inspect('a')), await rejectionOf(locks.createLock('a').tryLock()));
      expectNoSecretIn(locks, secret);
    });
    for (const error of errors) expectNoSecretIn(error, secret);
  });

  it('given as a text, or over plain http, is refused without being shown', () => {
    for (const options of [
      { url: 'https://locks', authorization: secret as never },
      { url: 'http://locks', authorization: () => secret },
    ]) {
      let thrown: unknown;
      try {
        LockFactory.connect(options);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(IllegalArgumentError);
      expectNoSecretIn(thrown, secret);
    }
  });

  it.each(['https://locks', 'http://127.0.0.1:3000', 'http://127.1', 'http://[::1]:3000', 'http://localhost:3000'])(
    'goes to %s',
    (url) => {
      expect(() => LockFactory.connect({ url, authorization: () => 'Bearer x' })).not.toThrow();
    },
  );
});

describe('fromEnv', () => {
  const environment = { ...process.env };
  afterEach(() => {
    process.env = { ...environment };
  });

  // What a factory of this environment sends with its first request.
  async function headersSent(
    options: Parameters<typeof LockFactory.fromEnv>[0] = {},
  ): Promise<Record<string, unknown>> {
    const [headers = {}] = await headersDuring(async (url) => {
      process.env['HOLDFAST_URL'] = url;
      const attempt = LockFactory.fromEnv(options).createLock('a').tryLock();
      await expect(attempt).rejects.toMatchObject({ code: 'lock-service' });
    });
    return headers;
  }

  it('refuses an environment without HOLDFAST_URL, and says so', () => {
    delete process.env['HOLDFAST_URL'];
    expect(() => LockFactory.fromEnv()).toThrow(/HOLDFAST_URL/);
    expect(() => LockFactory.fromEnv()).toThrow(IllegalArgumentError);
  });

  it('signs with the AWS credentials of the environment, for its Region', async () => {
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_SESSION_TOKEN: 'a-session',
      HOLDFAST_REGION: 'eu-central-1',
    });
    const headers = await headersSent();
    expect(headers['authorization']).toMatch(/Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/execute-api\/aws4_request/);
    expect(headers['x-amz-security-token']).toBe('a-session');
  });

  it('does not sign without credentials', async () => {
    delete process.env['AWS_ACCESS_KEY_ID'];
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    expect(await headersSent()).not.toHaveProperty('authorization');
  });

  it('lets options go before the environment', () => {
    process.env['HOLDFAST_URL'] = 'not a url';
    expect(() => LockFactory.fromEnv()).toThrow(IllegalArgumentError);
    expect(() => LockFactory.fromEnv({ url: 'https://locks' })).not.toThrow();
  });

  it('takes several Regions, the preferred first, and signs for each', async () => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 's' });
    const dead = await deadUrl();
    const headers = await headersDuring(async (url) => {
      process.env['HOLDFAST_URL'] = `eu-west-9=${dead}, eu-central-1=${url}/a=b`;
      const attempt = LockFactory.fromEnv().createLock('a').tryLock();
      await expect(attempt).rejects.toMatchObject({ message: expect.stringContaining('404') });
    });
    expect(headers[0]?.['authorization']).toMatch(/\/eu-central-1\/execute-api\//);
  });

  it.each([
    'eu-central-1=https://a,eu-central-1=https://b',
    'eu-central-1=https://a,https://b',
    'eu-central-1=',
    '1=https://a',
  ])('refuses %p as HOLDFAST_URL', (text) => {
    process.env['HOLDFAST_URL'] = text;
    expect(() => LockFactory.fromEnv()).toThrow(IllegalArgumentError);
  });

  it('takes an address with a comma and an equals sign as one', () => {
    process.env['HOLDFAST_URL'] = 'https://locks/a=b,c=d';
    expect(() => LockFactory.fromEnv()).not.toThrow();
  });

  it('lets addresses of several Regions go before the environment', () => {
    process.env['HOLDFAST_URL'] = 'not a url';
    expect(() => LockFactory.fromEnv({ urls: { 'eu-central-1': 'https://locks' } })).not.toThrow();
    delete process.env['HOLDFAST_URL'];
    expect(() => LockFactory.fromEnv({ urls: { 'eu-central-1': 'https://locks' } })).not.toThrow();
  });

  it('does not sign when it is given a header of its own', async () => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 's' });
    expect(await headersSent({ authorization: () => 'Bearer x' })).toMatchObject({ authorization: 'Bearer x' });
  });
});
