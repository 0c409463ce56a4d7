import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '../../../../lambda/local/gateway/sha256.ts';
import { regionOf, SigV4Signer } from '../../../../sdk/http/signer.ts';
import { IllegalArgumentError, LockFactory } from '../../../../sdk/index.ts';
import { encodeLockId } from '../../../../sdk/wire/lock-id.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-test-secret', sessionToken: 'a-session' };
const region = 'eu-central-1';
const nowMs = Date.UTC(2026, 0, 31, 23, 59, 58);
const request = (lockId = 'orders-42') => ({
  method: 'POST',
  url: `https://api.example.com/v1/locks/${encodeLockId(lockId)}/try`,
  headers: { 'content-type': 'application/json' },
  body: '{"leaseMs":5000}',
});

// What AWS's own signer makes of the same request at the same time.
async function expectedAuthorization(lockId: string, atMs: number): Promise<string | undefined> {
  const { url, method, body } = request(lockId);
  const { hostname, pathname } = new URL(url);
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: Sha256, applyChecksum: false });
  const signed = await signer.sign(
    { method, protocol: 'https:', hostname, path: pathname, query: {}, headers: { host: hostname }, body },
    { signingDate: new Date(atMs) },
  );
  return signed.headers['authorization'];
}

describe('the SigV4 signer', () => {
  it.each(['orders-42', 'a/b c', '%2F', '?#+~', '...', '"\'', '🔒', 'مفتاح'])(
    'signs for the id %p as the signer of AWS does',
    async (lockId) => {
      const headers = await new SigV4Signer(credentials, region, () => nowMs).sign(request(lockId));
      expect(headers['authorization']).toBe(await expectedAuthorization(lockId, nowMs));
      expect(headers['x-amz-date']).toBe('20260131T235958Z');
      expect(headers['x-amz-security-token']).toBe('a-session');
      expect(headers['content-type']).toBe('application/json');
      expect(JSON.stringify(headers)).not.toContain(credentials.secretAccessKey);
    },
  );

  it('asks a provider before each request', async () => {
    const provider = jest.fn(async () => credentials);
    const signer = new SigV4Signer(provider, region);
    await signer.sign(request());
    await signer.sign(request());
    expect(provider).toHaveBeenCalledTimes(2);
  });

  it('learns a clock that is more than 4 minutes off, once', async () => {
    const signer = new SigV4Signer(credentials, region, () => nowMs);
    const serverMs = nowMs + 10 * 60_000;
    expect(signer.learn(new Date(serverMs).toUTCString())).toBe(true);
    expect(signer.learn(new Date(serverMs).toUTCString())).toBe(false);
    const headers = await signer.sign(request());
    expect(headers['authorization']).toBe(await expectedAuthorization('orders-42', serverMs));
  });

  it.each([
    ['a clock 4 minutes off at most', new Date(nowMs + 239_000).toUTCString()],
    ['no date', null],
    ['a date that is none', 'yesterday'],
  ])('learns nothing from %s', (_name, date) => {
    expect(new SigV4Signer(credentials, region, () => nowMs).learn(date)).toBe(false);
  });
});

describe('the Region', () => {
  const environment = { ...process.env };
  beforeEach(() => {
    for (const name of ['HOLDFAST_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION']) delete process.env[name];
  });
  afterEach(() => {
    process.env = { ...environment };
  });

  it('is the given one before that of the host name', () => {
    const url = new URL('https://abc123.execute-api.eu-west-1.amazonaws.com');
    expect(regionOf(url)).toBe('eu-west-1');
    expect(regionOf(url, 'us-east-2')).toBe('us-east-2');
  });

  it('comes from the environment for a domain of one’s own', () => {
    const url = new URL('https://locks.example.com');
    process.env['AWS_REGION'] = 'eu-north-1';
    expect(regionOf(url)).toBe('eu-north-1');
    process.env['HOLDFAST_REGION'] = 'eu-south-1';
    expect(regionOf(url)).toBe('eu-south-1');
  });

  it('is a typed error for a domain of one’s own when nothing names it, at connect and before any request', () => {
    expect(() => LockFactory.connect({ url: 'https://locks.example.com', credentials })).toThrow(IllegalArgumentError);
    expect(() => LockFactory.connect({ url: 'https://locks.example.com' })).not.toThrow();
  });

  it('is not needed for the local stack', () => {
    expect(regionOf(new URL('http://127.0.0.1:3000'))).toBe('local');
  });
});
