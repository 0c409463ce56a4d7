import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { LockItem } from '../../lambda/service/lock-item.ts';
import { openDynamoDbStore } from '../contract/lock-store/dynamodb-store-under-test.ts';
import type { StoreUnderTest } from '../contract/lock-store/store-under-test.ts';
import { type DatingProxy, startDatingProxy } from '../support/dating-proxy.ts';
import { startDynamoDb, type TestDynamoDb } from '../support/dynamodb.ts';
import { freeItem, heldItem } from '../support/lock-items.ts';
import { expectNoSecretIn } from '../support/secrets.ts';

const dayMs = 86_400_000;

/** A lock that was released so many days ago. */
function releasedDaysAgo(lockId: string, days: number): LockItem {
  return freeItem(lockId, { ttl: Math.ceil((Date.now() + (7 - days) * dayMs) / 1_000) });
}

describe('npm run sweep', () => {
  let database: TestDynamoDb;
  let proxy: DatingProxy;
  let under: StoreUnderTest;
  let table: string;
  const held = heldItem('held', { until: Date.now() + dayMs });

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
    under = await openDynamoDbStore({ ...database, createTable: async () => table });
    proxy.offsetMs = 0;
    const many = Array.from({ length: 120 }, (_, at) => releasedDaysAgo(`many-${at}`, at % 2 ? 29 : 31));
    await under.seed(held, ...many);
  });

  function run(...args: string[]) {
    const env = {
      ...process.env,
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    };
    const argv = ['--import', 'tsx', 'lambda/sweep.ts', '--table', table, '--region', 'us-east-1', ...args];
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, argv, { cwd: join(__dirname, '../..'), env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  }

  const kept = async () => (await under.store.list({ prefix: '', state: 'all', cut: 0, limit: 1_000 })).items.length;

  it('removes what has been at rest for 30 days, over several pages, and says how much', async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Done: 121 locks examined, 60 removed, 0 used again meanwhile, 0 left alone\.$/m);
    expect(await kept()).toBe(61);
    expect(await under.stored('held')).toEqual(held);
    expect(await under.stored('many-0')).toBeUndefined();
    expect(await under.stored('many-1')).toBeDefined();
    expectNoSecretIn({ stdout, stderr }, ...[held.owner ?? '', freeItem('a').last ?? '']);
  });

  it('removes nothing in a dry run', async () => {
    const { code, stdout } = await run('--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Done: 121 locks examined, 60 would be removed, 0 used again meanwhile, 0 left alone\.$/m);
    const listed = [...stdout.matchAll(/^Would be removed: (.*)$/gm)].map(([, lockId]) => lockId);
    expect(listed).toHaveLength(60);
    expect(listed).toEqual(expect.arrayContaining(['many-0', 'many-118']));
    expect(await kept()).toBe(121);
  });

  it('leaves what is not an item of a lock alone, names it safely, and goes on', async () => {
    const odd = { ...releasedDaysAgo('odd\u001b[2J\n', 31), fence: '100' } as unknown as LockItem;
    const { queue: _queue, ...noLine } = releasedDaysAgo('no line', 31);
    await under.seed(odd, noLine as LockItem);
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^Done: 123 locks examined, 60 removed, 0 used again meanwhile, 2 left alone\.$/m);
    const named = stdout.split('\n').filter((line) => line.startsWith('Left alone'));
    expect(named.sort()).toEqual([
      'Left alone, not an item of a lock: no line',
      expect.stringMatching(/^Left alone, not an item of a lock: odd[^\p{Cc}]+$/u),
    ]);
    expect(await kept()).toBe(63);
    expectNoSecretIn({ stdout, stderr }, odd.last ?? '');
  });

  it('goes by the clock of DynamoDB, not by that of its host', async () => {
    proxy.offsetMs = -30 * dayMs;
    expect((await run()).stdout).toContain('Done: 121 locks examined, 0 removed');
    expect(await kept()).toBe(121);
  });

  it('removes nothing where DynamoDB does not say what time it is', async () => {
    proxy.offsetMs = 'none';
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('DynamoDB does not say what time it is'),
    });
    expect(await kept()).toBe(121);
  });

  it('says what it was not told, and what there is not', async () => {
    expect(await run('--older-than', '1d')).toMatchObject({
      code: 1,
      stderr: '--older-than must be a whole number of days, at least 7, such as 30d, got "1d"\n',
    });
    expect(await run('--table', 'another')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('list: DynamoDB answered ResourceNotFoundException'),
    });
  });
});
