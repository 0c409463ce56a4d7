import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IllegalArgumentError, LockFactory } from '../../../sdk/index.ts';

describe('connect', () => {
  it.each([
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
  ])('refuses %p', (options) => {
    expect(() => LockFactory.connect(options as never)).toThrow(IllegalArgumentError);
  });

  it('does not show the password of an address that it refuses', () => {
    expect(() => LockFactory.connect({ url: 'https://user:hunter2@locks' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

describe('fromEnv', () => {
  const environment = { ...process.env };
  afterEach(() => {
    process.env = { ...environment };
  });

  // What a factory of this environment sends with its first request.
  async function headersSent(): Promise<Record<string, unknown>> {
    let headers: Record<string, unknown> = {};
    const server = createServer((request, response) => {
      headers = request.headers;
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env['HOLDFAST_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const attempt = LockFactory.fromEnv().createLock('a').tryLock();
    await expect(attempt).rejects.toMatchObject({ code: 'lock-service' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
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
});
