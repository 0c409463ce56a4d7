import { parseOptions } from '../../deployed/options.ts';
import { until } from '../../support/until.ts';
import { command, heldLocks, proxyBefore, stacks, verification } from './deployments.ts';
import { unavailable } from './wrong-deployments.ts';

it('prints one JSON document when asked to', async () => {
  const { exitCode, output } = await command(
    '--url',
    stacks.signed.url,
    '--profile',
    'admin',
    '--only',
    'bodies',
    '--json',
  ).ended;
  const { url, checks, summary } = JSON.parse(output);
  expect(url).toBe(`${stacks.signed.url}/`);
  expect(checks[0]).toEqual({
    group: 'bodies',
    what: 'a body of more than 4096 bytes',
    expected: '413 too-large, application/problem+json with its request id',
    result: 'ok',
    got: '413 too-large',
  });
  expect(summary).toMatchObject({ ok: checks.length, failed: 0, skipped: 0, left: [] });
  expect(exitCode).toBe(0);
});

it('exits with 1 when something failed', async () => {
  const { exitCode, output } = await command('--url', stacks.open.url, '--profile', 'admin', '--only', 'signatures')
    .ended;
  expect(output).toContain('FAILED  try without a signature | expected: 403 Forbidden of the gateway | got: 200');
  expect(exitCode).toBe(1);
});

it.each([
  ['no address', [], '--url must be the https address'],
  ['an address that is none', ['--url', 'locks'], 'got locks'],
  ['an address that others can listen to', ['--url', 'http://a.example'], 'http: of this machine only'],
  [
    'an address with the version',
    ['--url', 'https://a.example/v1'],
    'must end before /v1, which each request adds; got https',
  ],
  ['an address of a route', ['--url', 'https://a.example/base/v1/locks'], 'got https://a.example/base/v1/locks'],
  ['an unknown option', ['--url', 'https://a.example', '--force'], "Unknown option '--force'"],
  ['a group that does not exist', ['--url', 'https://a.example', '--only', 'paths,all'], 'got "all"'],
  ['a burst that is too large', ['--url', 'https://a.example', '--burst', '999999'], 'from 0 to 20000'],
  ['a role that is none', ['--url', 'https://a.example', '--use-role', 'use'], 'must be the ARN of an IAM role'],
  ['a role without its prefix', ['--url', 'https://a.example', '--use-profile', 'use'], 'need --lock-prefix'],
  ['both a role and a profile', ['--url', 'https://a.example', '--use-profile', 'a', '--use-role', 'b'], 'got both'],
  ['a prefix that is too long', ['--url', 'https://a.example', '--lock-prefix', 'x'.repeat(65)], 'got 65'],
])('refuses %s', (_, args, message) => {
  expect(() => parseOptions(args, {})).toThrow(message);
});

it('exits with 2 before it sends anything when it cannot begin', async () => {
  const { exitCode, output } = await command('--url', stacks.signed.url, '--profile', 'nobody').ended;
  expect(output).toContain('there are no credentials for the administrator');
  expect(exitCode).toBe(2);
});

it('takes an address with a path before the version', () => {
  expect(parseOptions(['--url', 'https://a.example/v10/base'], {})).toMatchObject({
    url: new URL('https://a.example/v10/base'),
  });
});

it.each(['http://127.0.0.1:9', 'https://127.0.0.1:9', 'https://nobody.invalid'])(
  'exits with 2 where nobody is at the address: %s',
  async (url) => {
    const { exitCode, output } = await command('--url', url, '--profile', 'admin', '--region', 'us-east-1').ended;
    expect(output).toMatch(
      /^verify:deployed: --url must be where the API is, got \S+, where nobody can be reached \(\w+\)$/m,
    );
    expect(exitCode).toBe(2);
  },
);

it('gives back what it took when it is interrupted', async () => {
  let operations = 0;
  const url = await proxyBefore(stacks.signed, {
    request(request) {
      operations++;
      return request;
    },
  });
  const { child, ended } = command('--url', url, '--profile', 'admin', '--only', 'paths,locks,bodies');
  await until('it began', () => operations > 0);
  child.kill('SIGINT');
  const { exitCode, output } = await ended;
  expect(exitCode).toBe(130);
  expect(output).not.toContain('a lock that is held |');
  expect(await heldLocks()).toEqual([]);
});

it('names the locks that it could not give back', async () => {
  const url = await proxyBefore(stacks.signed, {
    request: (request) => (request.path.endsWith('/release') ? unavailable : request),
  });
  const report = await verification(url, '--only', 'locks');
  expect(report.left).toContainEqual(expect.stringMatching(/^verification-[0-9a-f]{12}\/held$/));
});
