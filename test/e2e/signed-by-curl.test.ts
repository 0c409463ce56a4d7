import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { encodeLockId } from '../../sdk/wire/lock-id.ts';
import { hostileLockIds } from '../support/hostile-lock-ids.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

let stack: LocalStackProcess;

beforeAll(async () => {
  stack = await startLocalStack({ args: ['--auth', 'iam'] });
});

afterAll(() => stack.stop());

async function curl(secret: string, path: string, ...options: string[]) {
  const { stdout } = await promisify(execFile)('curl', [
    ...['--silent', '--aws-sigv4', 'aws:amz:us-east-1:execute-api', '--user', `${testKeyPair.accessKeyId}:${secret}`],
    ...['--write-out', '\n%{http_code}', ...options, `${stack.url}${path}`],
  ]);
  const [body = '', status] = stdout.split('\n');
  return { status: Number(status), body };
}

test('a body, a query and lock ids of every escape class pass', async () => {
  const body = ['-H', 'content-type: application/json', '-d', '{"leaseMs":1000}'];
  for (const id of hostileLockIds) {
    const { status, body: answer } = await curl(
      testKeyPair.secretAccessKey,
      `/v1/locks/${encodeLockId(id)}/try`,
      ...body,
    );
    expect(status).toBe(200);
    expect(JSON.parse(answer)).toMatchObject({ lockId: id });
  }
  expect(await curl(testKeyPair.secretAccessKey, '/v1/admin/locks?limit=10')).toMatchObject({ status: 200 });
});

test('another secret is forbidden', async () => {
  expect(await curl('wrong', '/v1/locks/a')).toEqual({ status: 403, body: '{"message":"Forbidden"}' });
});
