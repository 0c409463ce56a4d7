import { testKeyPair } from '../../../lambda/local/test-key-pair.ts';
import { encodeLockId } from '../../../sdk/wire/lock-id.ts';
import type { Alteration } from '../../support/altering-proxy.ts';
import { policies } from '../../support/iam-policies.ts';
import { callerOptions, lockPrefix, mayRead, mayUse, readKey, useKey } from './callers.ts';
import { command, failed, heldLocks, proxyBefore, stacks, verification } from './deployments.ts';
import { tooMany } from './wrong-deployments.ts';

/** Notes every owner token that passes. */
function tokenNotes() {
  const tokens = new Set<string>();
  const note = (text: string) => {
    for (const [, token = ''] of text.matchAll(/"ownerToken":"([^"]+)"/g)) tokens.add(token);
  };
  const alteration: Alteration = {
    request(request) {
      note(request.body);
      return request;
    },
    answer(answer) {
      note(answer.body);
      return answer;
    },
  };
  return { tokens, alteration };
}

it('passes a local stack with authorization, says what it could not check, leaves no lock and tells no secret', async () => {
  const { tokens, alteration } = tokenNotes();
  const url = await proxyBefore(stacks.signed, alteration);
  const { exitCode, output } = await command('--url', url, '--profile', 'admin').ended;
  const lines = output.split('\n');
  expect(lines.filter((line) => line.startsWith('FAILED'))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('ok')).length).toBeGreaterThan(75);
  expect(lines.filter((line) => line.startsWith('skipped')).map((line) => line.split(' | ').at(-1))).toEqual([
    'because: the local stack takes every Region',
    expect.stringContaining('in CloudWatch'),
    expect.stringContaining('no request can be made to last that long'),
    expect.stringContaining('--use-role'),
    expect.stringContaining('--read-role'),
    expect.stringContaining('--burst'),
    expect.stringContaining('--demo'),
  ]);
  expect(output).toContain('all locks given back');
  // As test/deployed/README.md says.
  const [, requests = ''] = / (\d+) requests in /.exec(output) ?? [];
  expect(Math.abs(Number(requests) - 300)).toBeLessThan(20);
  expect(exitCode).toBe(0);
  expect(await heldLocks()).toEqual([]);
  expect(tokens.size).toBeGreaterThan(50);
  for (const secret of [...tokens, testKeyPair.secretAccessKey]) expect(output).not.toContain(secret);
});

it('passes grants that are as they should be', async () => {
  const url = await proxyBefore(
    stacks.signed,
    policies([
      { ...useKey, allowed: mayUse },
      { ...readKey, allowed: mayRead },
    ]),
  );
  const report = await verification(url, '--only', 'grants', ...callerOptions);
  expect(failed(report)).toEqual([]);
  expect(report.entries.filter(({ result }) => result === 'ok')).toHaveLength(34);
});

it('passes an API that throttles looks and goes on serving renewals', async () => {
  let looks = 0;
  const url = await proxyBefore(stacks.signed, {
    request: (request) => (request.method === 'GET' && ++looks > 300 ? tooMany : request),
  });
  const report = await verification(url, '--only', 'throttles', '--burst', '2000');
  expect(report.entries).toEqual([
    expect.objectContaining({
      result: 'ok',
      got: expect.stringMatching(/^429 "Too Many Requests" after \d+ requests/),
    }),
  ]);
  // It ends with the first refusal, but for the looks that were under way.
  expect(report.requests).toBeLessThan(1_000);
});

it('says that a burst was too small to show a throttle', async () => {
  const report = await verification(stacks.signed.url, '--only', 'throttles', '--burst', '50');
  expect(report.entries).toEqual([
    expect.objectContaining({ result: 'skipped', reason: expect.stringContaining('within 50 requests') }),
  ]);
});

it('runs the demo against the deployment, under the prefix of the run', async () => {
  const paths: string[] = [];
  const url = await proxyBefore(stacks.signed, {
    request(request) {
      paths.push(request.path);
      return request;
    },
  });
  const report = await verification(url, '--only', 'demo', '--demo', '--lock-prefix', lockPrefix);
  expect(report.entries).toEqual([
    expect.objectContaining({ result: 'ok', got: expect.stringContaining('300 of 300') }),
  ]);
  expect(paths.length).toBeGreaterThan(600);
  expect(paths.filter((path) => !path.startsWith(`/v1/locks/${encodeLockId(`${lockPrefix}verification-`)}`))).toEqual(
    [],
  );
}, 320_000);
