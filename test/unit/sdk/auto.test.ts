import { type AutoOptions, connect, fromEnv } from '../../../sdk/auto.ts';
import { ForbiddenError, IllegalArgumentError, type LockFactory } from '../../../sdk/index.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../support/scripted-endpoint.ts';

const environment = { ...process.env };
const open: LockFactory[] = [];

beforeEach(() => {
  for (const name of Object.keys(process.env).filter((each) => /^(AWS|HOLDFAST)_/.test(each))) delete process.env[name];
});
afterEach(async () => {
  process.env = { ...environment };
  await Promise.all(open.splice(0).map((locks) => locks.dispose({ timeoutMs: 0 })));
});

const opened = async (locks: Promise<LockFactory>) => {
  open.push(await locks);
  return locks;
};

describe('connect', () => {
  it.each([
    undefined,
    null,
    'memory:',
    {},
    { url: '' },
    { url: 'redis://locks' },
    { url: 'https://user:pass@locks' },
    { url: 'https://locks', leaseMS: 5 },
    { url: 'memory:', leaseMs: 5 },
    { url: 'memory:', region: 'eu-central-1' },
    { url: 'memory:', authorization: () => 'Bearer a' },
    { url: 'memory:', urls: { 'eu-central-1': 'https://locks' } },
    { urls: {} },
    { url: 'memory:', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
    { url: 'dynamodb://no' },
    { url: 'dynamodb://locks:80' },
    { url: 'dynamodb://locks?clockSkewMs=soon' },
    { url: 'dynamodb://locks', leaseMs: 5 },
    { url: 'dynamodb://locks?region=Europe!' },
  ])('refuses %p', async (options) => {
    const refused = connect(options as AutoOptions);
    expect(refused).toBeInstanceOf(Promise);
    await expect(refused).rejects.toThrow(IllegalArgumentError);
  });

  it('gives the memory of a name to all who ask for it', async () => {
    const [one, two] = [await opened(connect({ url: 'memory:a' })), await opened(connect({ url: 'memory:a' }))];
    await one.createLock('x').lock();
    expect(await two.createLock('x').tryLock()).toBe(false);
    for (const url of ['memory:', 'memory:b']) {
      const other = await opened(connect({ url }));
      expect(await other.createLock('x').tryLock()).toBe(true);
    }
    const unnamed = await opened(connect({ url: 'memory:' }));
    expect(await unnamed.createLock('x').tryLock()).toBe(false);
  });

  it('gives it also to another copy of the package in the same process', async () => {
    const locks = await opened(connect({ url: 'memory:copies' }));
    await locks.createLock('x').lock();
    let another: LockFactory | undefined;
    await jest.isolateModulesAsync(async () => {
      const copy = (await import('../../../sdk/auto.ts')) as typeof import('../../../sdk/auto.ts');
      expect(copy.connect).not.toBe(connect);
      another = await opened(copy.connect({ url: 'memory:copies' }));
    });
    expect(await another?.createLock('x').tryLock()).toBe(false);
    expect(await another?.createLock('y').tryLock()).toBe(true);
    expect(await locks.createLock('y').tryLock()).toBe(false);
  });

  it('takes options that are there but undefined as left out', async () => {
    await opened(connect({ url: 'memory:', region: undefined, credentials: undefined, urls: undefined } as never));
  });

  it('passes on the defaults of the locks', async () => {
    await (await opened(connect({ url: 'memory:defaults', holder: 'me', leaseMs: 5_000 }))).createLock('x').lock();
    const rival = (await opened(connect({ url: 'memory:defaults' }))).createLock('x').acquire({ waitMs: 0 });
    await expect(rival).rejects.toMatchObject({ holder: 'me' });
    const [factory] = open;
    const lease = await (factory as LockFactory).createLock('z').acquire();
    expect(lease.remainingMs).toBeLessThanOrEqual(5_000);
  });
});

describe('over a network', () => {
  let endpoint: ScriptedEndpoint;
  beforeEach(async () => {
    endpoint = await startScriptedEndpoint({ status: 400, body: '{"__type":"x#AccessDeniedException"}' });
  });
  afterEach(() => endpoint.stop());

  const credentials = { accessKeyId: 'AKIDGIVEN', secretAccessKey: 's' };

  it('asks a table through its endpoint, in its Region', async () => {
    const url = `dynamodb://locks?region=eu-west-1&endpoint=${endpoint.endpoint}`;
    const locks = await opened(connect({ url, credentials }));
    expect(await rejectionOf(locks.createLock('a').lock())).toBeInstanceOf(ForbiddenError);
    expect(endpoint.lastHeaders()['x-amz-target']).toBe('DynamoDB_20120810.GetItem');
    expect(endpoint.lastHeaders().authorization).toMatch(/Credential=AKIDGIVEN\/\d+\/eu-west-1\/dynamodb/);
  });

  it('lets options go before the address', async () => {
    const url = `dynamodb://locks?region=eu-west-1&endpoint=${endpoint.endpoint}`;
    const locks = await opened(connect({ url, credentials, region: 'us-east-1' }));
    await rejectionOf(locks.createLock('a').lock());
    expect(endpoint.lastHeaders().authorization).toContain('/us-east-1/');
  });

  it('lets options that are undefined leave the address', async () => {
    const url = `dynamodb://locks?region=eu-west-1&endpoint=${endpoint.endpoint}`;
    const locks = await opened(connect({ url, credentials, region: undefined } as never));
    await rejectionOf(locks.createLock('a').lock());
    expect(endpoint.lastHeaders().authorization).toContain('/eu-west-1/');
  });

  it('asks the API at an http address', async () => {
    endpoint.answer = { status: 403, body: '{}' };
    const locks = await opened(connect({ url: endpoint.endpoint, credentials }));
    expect(await rejectionOf(locks.createLock('a').lock())).toBeInstanceOf(ForbiddenError);
    expect(endpoint.lastHeaders()).not.toHaveProperty('x-amz-target');
    expect(endpoint.lastHeaders().authorization).toContain('/execute-api/');
  });

  describe('named by HOLDFAST_URL', () => {
    beforeEach(() => {
      Object.assign(process.env, {
        AWS_ACCESS_KEY_ID: 'AKIDENVIRONMENT',
        AWS_SECRET_ACCESS_KEY: 's',
        HOLDFAST_REGION: 'eu-north-1',
      });
    });

    it('signs for the API with the credentials of the environment', async () => {
      process.env['HOLDFAST_URL'] = endpoint.endpoint;
      endpoint.answer = { status: 403, body: '{}' };
      const locks = await opened(fromEnv());
      await rejectionOf(locks.createLock('a').lock());
      expect(endpoint.lastHeaders().authorization).toMatch(/AKIDENVIRONMENT\/\d+\/eu-north-1\/execute-api/);
    });

    it('also when the options have a url that is undefined', async () => {
      process.env['HOLDFAST_URL'] = endpoint.endpoint;
      endpoint.answer = { status: 403, body: '{}' };
      const locks = await opened(fromEnv({ url: undefined } as never));
      expect(await rejectionOf(locks.createLock('a').lock())).toBeInstanceOf(ForbiddenError);
    });

    it('knows several Regions', async () => {
      process.env['HOLDFAST_URL'] = `eu-west-1=${endpoint.endpoint},eu-west-2=${endpoint.endpoint}`;
      endpoint.answer = { status: 403, body: '{}' };
      const locks = await opened(fromEnv());
      await rejectionOf(locks.createLock('a').lock());
      expect(endpoint.lastHeaders().authorization).toMatch(/AKIDENVIRONMENT\/\d+\/eu-west-1\/execute-api/);
    });

    it('signs for a table with the credentials that the AWS SDK finds', async () => {
      process.env['HOLDFAST_URL'] = `dynamodb://locks?endpoint=${endpoint.endpoint}`;
      const locks = await opened(fromEnv());
      await rejectionOf(locks.createLock('a').lock());
      expect(endpoint.lastHeaders().authorization).toMatch(/AKIDENVIRONMENT\/\d+\/eu-north-1\/dynamodb/);
    });

    it('lets options go before the environment', async () => {
      process.env['HOLDFAST_URL'] = 'https://example.com';
      const url = `dynamodb://locks?endpoint=${endpoint.endpoint}`;
      const locks = await opened(fromEnv({ url, credentials }));
      await rejectionOf(locks.createLock('a').lock());
      expect(endpoint.lastHeaders().authorization).toContain('AKIDGIVEN');
    });
  });
});

describe('fromEnv', () => {
  it('rejects an environment without HOLDFAST_URL, and says so', async () => {
    await expect(fromEnv()).rejects.toThrow(/HOLDFAST_URL/);
    await expect(fromEnv()).rejects.toThrow(IllegalArgumentError);
  });

  it('rejects what is no object of options', async () => {
    await expect(fromEnv(null as never)).rejects.toThrow(IllegalArgumentError);
  });

  it('takes memory, whatever else the environment says, and names the holder as the function is named', async () => {
    Object.assign(process.env, {
      HOLDFAST_URL: 'memory:environment',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      AWS_REGION: 'eu-central-1',
      AWS_LAMBDA_FUNCTION_NAME: 'nightly-report',
    });
    const locks = await opened(fromEnv({ leaseMs: 5_000 }));
    await locks.createLock('a').lock();
    const rival = (await opened(fromEnv())).createLock('a').acquire({ waitMs: 0 });
    await expect(rival).rejects.toMatchObject({ holder: 'nightly-report' });
  });
});
