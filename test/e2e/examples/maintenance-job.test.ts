import { randomUUID } from 'node:crypto';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { environmentNames } from '../../../lambda/names.ts';
import { LockFactory } from '../../../sdk/index.ts';
import { startDynamoDb, type TestDynamoDb } from '../../support/dynamodb.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { ExampleProcess } from './example-process.ts';
import { waiters } from './waiters.ts';

let database: TestDynamoDb;
let stack: LocalStackProcess;
let locks: LockFactory;
let table: string;

beforeAll(async () => {
  database = await startDynamoDb();
  stack = await startLocalStack({
    args: ['--dynamodb', database.endpoint],
    env: { [environmentNames.table]: `locks-${randomUUID()}` },
  });
  locks = LockFactory.connect({ url: stack.url });
});

// A table of their own for each test: the jobs of one go on where the jobs of another were otherwise.
beforeEach(() => {
  table = `jobs-${randomUUID()}`;
});

afterAll(async () => {
  await stack.stop();
  await database.stop();
});

function run(example: 'maintenance-job' | 'paused-holder', ...args: (string | number)[]): ExampleProcess {
  return new ExampleProcess(`sdk/examples/maintenance-job/${example}.ts`, {
    url: stack.url,
    args: [table, ...args],
    env: {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
  });
}

async function stored(job: string) {
  const get = new GetCommand({ TableName: table, Key: { job }, ConsistentRead: true });
  return (await DynamoDBDocumentClient.from(database.client).send(get)).Item;
}

const fencingTokenIn = (line = '') => Number(/fencing token (\d+)/.exec(line)?.[1]);
const anHourMs = 3_600_000;

test('a job that outlasts its lease holds on, and Ctrl-C gives the lock to the one that waits', async () => {
  const first = run('maintenance-job', 3, anHourMs);
  await first.printed(/^part 1 of 3$/);
  const second = run('maintenance-job', 3, 1);
  await second.printed(/^waiting for .* pid \d+$/);
  // A lease of 3 s is renewed every second: it is over by now but for that.
  await first.printed(/^renewed/, 4);
  expect(second.lines(/^acquired/)).toEqual([]);

  first.send('SIGINT');
  expect(await first.ended()).toBe(130);
  expect(first.lines(/^(released|lost)/)).toEqual(['released']);
  expect(await second.ended()).toBe(0);
  expect(second.lines(/part/)).toEqual(['part 1 of 3', 'part 2 of 3', 'part 3 of 3', 'all parts are done']);
  expect(await stored('maintenance')).toMatchObject({ donePart: 3 });
});

test('Ctrl-C ends a job that waits, and leaves nobody in line', async () => {
  const lock = locks.createLock('maintenance');
  await lock.lock();
  const waiting = run('maintenance-job', 1, 1);
  await waiters(stack.url, 'maintenance', 1);
  waiting.send('SIGINT');
  expect(await waiting.ended()).toBe(130);
  expect(await locks.inspect('maintenance')).toMatchObject({ state: 'held', waiters: 0 });
  await lock.unlock();
});

test('a job whose lock is broken stops in the middle of its part, and another goes on', async () => {
  const first = run('maintenance-job', 2, anHourMs);
  await first.printed(/^part 1 of 2$/);
  const fencingToken = fencingTokenIn(first.lines(/^acquired/)[0]);
  expect(await locks.break('maintenance', { fencingToken, note: 'a test' })).toMatchObject({ outcome: 'broken' });
  expect(await first.ended()).toBe(1);
  expect(first.lines(/^(released|lost)/)).toEqual(['lost: broken']);
  expect(first.lines(/^gave up/)).toEqual([expect.stringContaining('LeaseLostError')]);

  const second = run('maintenance-job', 2, 1);
  expect(await second.ended()).toBe(0);
  expect(fencingTokenIn(second.lines(/^acquired/)[0])).toBeGreaterThan(fencingToken);
  expect(await stored('maintenance')).toMatchObject({ donePart: 2 });
});

test('a holder that is frozen past its lease between its check and its write is refused', async () => {
  const frozen = run('paused-holder', 'freeze');
  const [held] = await frozen.printed(/^holding/);
  const successor = run('paused-holder');
  // It ends after the lease of the frozen one only.
  expect(await successor.ended()).toBe(0);
  const [done] = successor.lines(/^part 1 done/);
  expect(fencingTokenIn(done)).toBeGreaterThan(fencingTokenIn(held));

  expect(frozen.hasEnded).toBe(false);
  frozen.send('SIGCONT');
  expect(await frozen.ended()).toBe(1);
  expect(frozen.lines(/^(gave up|part)/)).toEqual([expect.stringContaining('ConditionalCheckFailedException')]);
  expect(await stored('paused-holder')).toMatchObject({ donePart: 1, fence: fencingTokenIn(done) });
});
