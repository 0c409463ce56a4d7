import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { LockItem } from '../../../lambda/service/lock-item.ts';
import { connectEmbedded, type EmbeddedOptions } from '../../../sdk/embedded.ts';
import {
  ClockSkewError,
  ForbiddenError,
  IllegalArgumentError,
  InterruptedError,
  LeaseLostError,
  LockFactory,
  LockServiceError,
} from '../../../sdk/index.ts';
import { type DatingProxy, startDatingProxy } from '../../support/dating-proxy.ts';
import { startDynamoDb, type TestDynamoDb } from '../../support/dynamodb.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../support/scripted-endpoint.ts';
import { expectNoSecretIn } from '../../support/secrets.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'not-to-be-shown' };

describe('options', () => {
  const table = 'locks';

  it.each([
    undefined,
    null,
    'locks',
    {},
    { table: '' },
    { table: 'no' },
    { table: 'no spaces' },
    { table: 42 },
    { table: 'arn:aws:dynamodb:eu-central-1:1:table/locks' },
    { table: 'arn:aws:s3:eu-central-1:123456789012:table/locks' },
    { table, region: '' },
    { table, region: 'Europe!' },
    { table, endpoint: 'localhost:8000' },
    { table, endpoint: 'ftp://localhost' },
    { table, endpoint: 'http://user:hunter2@localhost' },
    { table, endpoint: 'http://localhost/path' },
    { table, endpoint: 'http://localhost?x=1' },
    { table, credentials: 'key' },
    { table, credentials: { accessKeyId: 'a' } },
    { table, clockSkewMs: -1 },
    { table, clockSkewMs: 0.5 },
    { table, clockSkewMs: 10_001 },
    { table, clockSkewMs: Number.NaN },
    { table, clockSkewMs: '500' },
    { table, prefix: 5 },
    { table, unreachableAfterMs: 0 },
    { table, leaseMs: 5 },
    { table, leaseMS: 5_000 },
    { table, waitMs: 5 },
  ])('that are not valid are refused: %p', (options) => {
    expect(() => connectEmbedded(options as EmbeddedOptions)).toThrow(IllegalArgumentError);
  });

  it.each([
    { table: 'abc' },
    { table: 'A-long_name.1' },
    { table: 'arn:aws:dynamodb:eu-central-1:123456789012:table/locks' },
    { table, region: 'eu-central-1', endpoint: 'https://dynamodb.eu-central-1.amazonaws.com/' },
    { table, endpoint: 'http://[::1]:8000' },
    { table, credentials: async () => credentials },
    { table, clockSkewMs: 0 },
    { table, clockSkewMs: 10_000, unreachableAfterMs: 1, leaseMs: 1_000, holder: 'me', maxHoldMs: 1 },
    { table, region: undefined, endpoint: undefined, credentials: undefined, clockSkewMs: undefined },
  ])('that are valid are taken, and nothing is sent: %p', async (options) => {
    const locks = connectEmbedded(options as EmbeddedOptions);
    expect(locks).toBeInstanceOf(LockFactory);
    expect(await locks.dispose()).toEqual([]);
  });

  it('that are refused are not shown where they may be secret', () => {
    for (const options of [
      { table, endpoint: 'http://user:hunter2@localhost' },
      { table, credentials: { accessKeyId: 'a', secretAccessKey: 'hunter2', sessionToken: 5 } },
    ]) {
      expect(() => connectEmbedded(options as never)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
      );
    }
  });
});

describe('locks in a table', () => {
  let database: TestDynamoDb;
  let proxy: DatingProxy;
  let table: string;
  const open: LockFactory[] = [];

  beforeAll(async () => {
    database = await startDynamoDb();
    proxy = await startDatingProxy(database.endpoint);
  });
  afterAll(async () => {
    await proxy.stop();
    await database.stop();
  });
  beforeEach(async () => {
    table = await database.createTable();
    proxy.offsetMs = 0;
    proxy.operations.length = 0;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((locks) => locks.dispose({ timeoutMs: 0 })));
  });

  function connect(options: Partial<EmbeddedOptions> = {}): LockFactory {
    const locks = connectEmbedded({ table, endpoint: proxy.endpoint, region: 'local', credentials, ...options });
    open.push(locks);
    return locks;
  }

  async function stored(lockId: string): Promise<LockItem | undefined> {
    const { Item } = await database.client.send(
      new GetItemCommand({ TableName: table, Key: { lockId: { S: lockId } }, ConsistentRead: true }),
    );
    return Item && (unmarshall(Item) as LockItem);
  }

  it('are taken with one write and given back with one, after one read has told what time it is', async () => {
    const locks = connect({ holder: 'me' });
    await locks.createLock('b').tryLock();
    expect(proxy.operations.splice(0)).toEqual(['GetItem', 'UpdateItem']);
    const lock = locks.createLock('a');
    await lock.lock();
    expect(await stored('a')).toMatchObject({ holder: 'me', principal: 'embedded', fence: lock.fencingToken });
    await lock.unlock();
    expect(proxy.operations).toEqual(['UpdateItem', 'UpdateItem']);
    expect(await stored('a')).not.toHaveProperty('owner');
  });

  it('exclude across factories, and are handed over in the order of coming', async () => {
    const holder = connect().createLock('a');
    await holder.lock();
    expect(await connect().createLock('a').tryLock()).toBe(false);
    const order: string[] = [];
    const flows: Promise<void>[] = [];
    for (const name of ['first', 'second', 'third']) {
      flows.push(
        connect().withLock('a', () => {
          order.push(name);
        }),
      );
      while (((await stored('a'))?.queue.length ?? 0) < flows.length) await new Promise((done) => setTimeout(done, 20));
    }
    await holder.unlock();
    await Promise.all(flows);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('keep their line: a wait that is aborted leaves it at once', async () => {
    await connect().createLock('a').lock();
    const abort = new AbortController();
    const waiting = connect().createLock('a').lockInterruptibly(abort.signal);
    while ((await stored('a'))?.queue.length !== 1) await new Promise((done) => setTimeout(done, 20));
    abort.abort();
    await expect(waiting).rejects.toThrow(InterruptedError);
    expect(await stored('a')).toMatchObject({ queue: [], tickets: {} });
  });

  it('let flows add up exactly what they add', async () => {
    let total = 0;
    const flow = async (locks: LockFactory) => {
      for (let round = 0; round < 3; round++) {
        await locks.withLock('a', async () => {
          const before = total;
          await new Promise((done) => setTimeout(done, 1));
          total = before + 1;
        });
      }
    };
    const factories = [connect(), connect(), connect()];
    await Promise.all([...factories, ...factories].map(flow));
    expect(total).toBe(18);
  });

  it('are shown, listed and broken, those of a prefix by themselves', async () => {
    const locks = connect({ holder: 'me', prefix: 'billing/' });
    await connect().createLock('others').lock();
    const lease = await locks.createLock('a').acquire();
    expect(await locks.inspect('a')).toMatchObject({ state: 'held', holder: 'me', principal: 'embedded' });
    expect(await stored('billing/a')).toHaveProperty('owner');
    const listed: string[] = [];
    for await (const { lockId } of locks.list({ limit: 1 })) listed.push(lockId);
    expect(listed).toEqual(['a']);
    expect(await locks.break('a', { fencingToken: lease.fencingToken })).toMatchObject({ view: { state: 'free' } });
    await expect(lease.renew()).rejects.toMatchObject({ reason: 'broken' });
  });

  it('are taken over once the lease is over by the margin, and not before', async () => {
    const lease = await connect({ leaseMs: 1_000, maxHoldMs: 1, clockSkewMs: 700 }).createLock('a').acquire();
    const takenOver = await connect({ clockSkewMs: 700 }).createLock('a').acquire({ waitMs: 10_000 });
    const { until } = (await stored('a')) as LockItem;
    const grantedAt = (until ?? 0) - 30_000;
    const leaseEnd = lease.fencingToken - 1 + 1_000;
    expect(grantedAt).toBeGreaterThanOrEqual(leaseEnd + 700);
    expect(takenOver.fencingToken).toBeGreaterThan(lease.fencingToken);
    await expect(lease.release()).rejects.toThrow(LeaseLostError);
    await takenOver.release();
  });

  it('are given back with the connections when the factory is disposed', async () => {
    const locks = connect();
    await locks.createLock('a').lock();
    expect(await proxy.connections()).toBeGreaterThan(0);
    expect(await locks.dispose({ timeoutMs: 0 })).toEqual(['a']);
    expect(await stored('a')).not.toHaveProperty('owner');
    while ((await proxy.connections()) > 0) await new Promise((done) => setTimeout(done, 5));
    await expect(locks.createLock('a').lock()).rejects.toThrow(InterruptedError);
    await expect(locks.dispose()).resolves.toEqual([]);
  });

  it('take credentials from a function, asked before each request', async () => {
    const source = jest.fn(async () => credentials);
    const lock = connect({ credentials: source }).createLock('a');
    await lock.lock();
    const calls = source.mock.calls.length;
    expect(calls).toBeGreaterThan(0);
    await lock.unlock();
    expect(source.mock.calls.length).toBeGreaterThan(calls);
  });

  it('take credentials from a provider of AWS, asked again before they expire', async () => {
    const expiring = { ...credentials, expiration: new Date(Date.now() + 3_600_000) };
    const source = jest.fn(async () => expiring);
    await connect({ credentials: source }).withLock('a', () => undefined);
    expect(source).toHaveBeenCalledTimes(1);
  });

  it('are not had without credentials, and that is said at once', async () => {
    const failing = async () => {
      throw new Error('the vault is shut');
    };
    const error = await rejectionOf(connect({ credentials: failing }).createLock('a').lock());
    expect(error).toBeInstanceOf(LockServiceError);
    expect(error).toMatchObject({ outcomeUnknown: false, message: expect.stringContaining('the vault is shut') });
    expect(proxy.operations).toEqual([]);
  });

  it('are not had in a table that does not exist, and that is said at once', async () => {
    const error = await rejectionOf(connect({ table: 'missing' }).createLock('a').lock());
    expect(error).toBeInstanceOf(LockServiceError);
    expect(error).toMatchObject({ outcomeUnknown: false, requestId: expect.any(String) });
    expect(error.message).toContain('ResourceNotFoundException');
    expectNoSecretIn(error, credentials.secretAccessKey);
  });

  describe('by a clock', () => {
    // The database's clock is the other way round. What is known for sure is less by what a request takes.
    it.each([
      ['ahead', -60_000, 50_000, 60_000],
      ['behind', 60_000, -60_000, -50_000],
    ])('that is %s are not acquired, and are free for others', async (_, offsetMs, least, most) => {
      proxy.offsetMs = offsetMs;
      const locks = connect();
      const error = (await rejectionOf(locks.createLock('a').lock())) as ClockSkewError;
      expect(error).toBeInstanceOf(ClockSkewError);
      expect(error.code).toBe('clock-skew');
      expect(error.clockSkewMs).toBe(500);
      expect(error.offsetMs).toBeGreaterThanOrEqual(least);
      expect(error.offsetMs).toBeLessThanOrEqual(most);
      await expect(locks.createLock('a').tryLock()).rejects.toThrow(ClockSkewError);
      expect(await stored('a')).toBeUndefined();
      expect(proxy.operations).toEqual(['GetItem', 'GetItem']);
    });

    it('that is ahead does not take the lock from a live holder, not with its first request either', async () => {
      const holder = connect().createLock('a');
      await holder.lock();
      proxy.offsetMs = -60_000;
      await expect(connect().createLock('a').tryLock()).rejects.toThrow(ClockSkewError);
      expect(await stored('a')).toMatchObject({ fence: holder.fencingToken });
      proxy.offsetMs = 0;
      await holder.unlock();
    });

    it('that is set ahead a moment after a reply does not take the lock from a live holder', async () => {
      const holder = connect().createLock('a');
      await holder.lock();
      const { fencingToken } = holder;
      const locks = connect();
      await locks.createLock('b').lock();
      const now = Date.now;
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
      // The database's stays as it was.
      proxy.offsetMs = -60_000;
      await expect(locks.createLock('a').tryLock()).rejects.toThrow(ClockSkewError);
      expect(await stored('a')).toMatchObject({ fence: fencingToken, owner: expect.any(String) });
      clock.mockRestore();
    });

    it('that was put right are acquired again', async () => {
      proxy.offsetMs = 60_000;
      const locks = connect();
      await expect(locks.createLock('a').lock()).rejects.toThrow(ClockSkewError);
      proxy.offsetMs = 0;
      expect(await locks.createLock('a').tryLock()).toBe(true);
    });

    it.each([-4_000, 4_000])('that is off by less than allowed are acquired: %d ms', async (offsetMs) => {
      proxy.offsetMs = offsetMs;
      await connect({ clockSkewMs: 10_000 }).withLock('a', () => undefined);
    });

    it('that nobody can be compared with are acquired', async () => {
      proxy.offsetMs = 'none';
      await connect().withLock('a', () => undefined);
    });

    it('that goes wrong are neither renewed nor waited for', async () => {
      const lease = await connect({ leaseMs: 3_000 }).createLock('a').acquire();
      const waiting = rejectionOf(connect().createLock('a').lock());
      while ((await stored('a'))?.queue.length !== 1) await new Promise((done) => setTimeout(done, 20));
      proxy.offsetMs = 60_000;
      expect(await waiting).toBeInstanceOf(ClockSkewError);
      expect((await stored('a'))?.queue).toEqual([]);
      await new Promise((done) => lease.signal.addEventListener('abort', done));
      expect(lease.signal.reason).toBeInstanceOf(LeaseLostError);
    });
  });
});

describe('a DynamoDB', () => {
  const saying = (type: string) => ({
    status: 400,
    body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no' }),
  });
  let endpoint: ScriptedEndpoint;
  let locks: LockFactory;

  beforeEach(async () => {
    endpoint = await startScriptedEndpoint();
    const where = { table: 'locks', region: 'local', endpoint: endpoint.endpoint };
    locks = connectEmbedded({ ...where, credentials, unreachableAfterMs: 500 });
  });
  afterEach(async () => {
    // Ends the clean-ups.
    endpoint.answer = saying('AccessDeniedException');
    await locks.dispose({ timeoutMs: 0 });
    await endpoint.stop();
  });

  it.each(['AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException'])(
    'that does not authorize the caller is an error at once: %s',
    async (type) => {
      endpoint.answer = saying(type);
      const error = await rejectionOf(locks.createLock('a').lock());
      expect(error).toBeInstanceOf(ForbiddenError);
      expect(error.message).toContain(type);
      expect(endpoint.count()).toBe(1);
    },
  );

  it('that is throttled can be reached: lock() goes on, tryLock() says so', async () => {
    endpoint.answer = saying('ThrottlingException');
    const waiting = rejectionOf(locks.createLock('a').lock());
    expect(await rejectionOf(locks.createLock('b').tryLock())).toMatchObject({
      code: 'lock-service',
      outcomeUnknown: true,
      message: expect.stringContaining('ThrottlingException'),
    });
    await new Promise((done) => setTimeout(done, 600));
    endpoint.answer = saying('ResourceNotFoundException');
    expect((await waiting).message).toContain('ResourceNotFoundException');
  });

  it('that nobody reaches is an error after unreachableAfterMs, also of lock()', async () => {
    endpoint.answer = 'reset';
    const startedAt = performance.now();
    const error = await rejectionOf(locks.createLock('a').lock());
    expect(error).toBeInstanceOf(LockServiceError);
    expect(error.message).toContain('for 500 ms');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(499);
  });

  describe('is asked', () => {
    const environment = { ...process.env };
    beforeEach(() => {
      for (const name of ['HOLDFAST_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE'])
        delete process.env[name];
      Object.assign(process.env, { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' });
    });
    afterEach(() => {
      process.env = { ...environment };
    });

    async function regionOf(options: Partial<EmbeddedOptions> = {}): Promise<string | undefined> {
      endpoint.answer = saying('AccessDeniedException');
      const other = connectEmbedded({ table: 'locks', credentials, endpoint: endpoint.endpoint, ...options });
      await rejectionOf(other.createLock('a').lock());
      await other.dispose();
      return endpoint.lastHeaders().authorization?.split('/')[2];
    }

    it('for the Region that is given, else that of the environment, else any where it is on this machine', async () => {
      expect(await regionOf()).toBe('local');
      process.env['AWS_DEFAULT_REGION'] = 'eu-north-1';
      expect(await regionOf()).toBe('eu-north-1');
      process.env['HOLDFAST_REGION'] = 'eu-west-1';
      expect(await regionOf()).toBe('eu-west-1');
      expect(await regionOf({ region: 'us-east-1' })).toBe('us-east-1');
    });

    it('for no Region: that is said at once', async () => {
      const nowhere = connectEmbedded({ table: 'locks', credentials });
      const error = await rejectionOf(nowhere.createLock('a').lock());
      expect(error).toMatchObject({ code: 'lock-service', outcomeUnknown: false });
      expect(error.message).toContain('Region is missing');
      await nowhere.dispose();
    });
  });
});
