import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { LockFactory } from '../../sdk/index.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

const readme = readFileSync(join(__dirname, '..', '..', 'infra', 'README.md'), 'utf8');

let stack: LocalStackProcess;

beforeAll(async () => {
  stack = await startLocalStack({ args: ['--auth', 'iam'] });
});

afterAll(() => stack.stop());

it('the curl commands of the runbook look at a lock, list it and break it', async () => {
  const locks = LockFactory.connect({ url: stack.url, credentials: testKeyPair });
  const lease = await locks.createLock('orders-42').acquire();
  const [, commands = ''] = /<!-- curl commands of the runbook.*-->\n```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  const { stdout } = await promisify(execFile)('sh', ['-c', commands], {
    env: {
      PATH: process.env['PATH'],
      HOLDFAST_URL: stack.url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: testKeyPair.accessKeyId,
      AWS_SECRET_ACCESS_KEY: testKeyPair.secretAccessKey,
      fence: String(lease.fencingToken),
    },
  });
  const [view, page, broken, ...more] = stdout.trim().split('\n');
  expect(JSON.parse(view ?? '')).toMatchObject({
    lockId: 'orders-42',
    state: 'held',
    fencingToken: lease.fencingToken,
  });
  expect(JSON.parse(page ?? '')).toMatchObject({ locks: [{ lockId: 'orders-42' }] });
  expect(JSON.parse(broken ?? '')).toMatchObject({ broken: true, lock: { state: 'free' } });
  expect(more).toEqual([]);
  await expect(lease.renew()).rejects.toMatchObject({ reason: 'broken' });
  await locks.dispose();
});
