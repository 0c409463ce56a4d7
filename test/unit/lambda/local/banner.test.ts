import { banner, hostWarning } from '../../../../lambda/local/banner.ts';
import { parseOptions } from '../../../../lambda/local/options.ts';
import { routeKey, routes } from '../../../../sdk/wire/routes.ts';

const url = 'http://127.0.0.1:3000';

function bannerOf(...argv: string[]): string {
  const options = parseOptions(argv);
  if (options === 'help') throw new Error('no options');
  return banner(url, options);
}

test('the banner has the address, every route and a command to try', () => {
  const text = bannerOf();
  expect(text).toContain(`ready on ${url}`);
  for (const route of Object.values(routes)) expect(text).toContain(routeKey(route));
  expect(text).toMatch(/^ {2}curl -X POST http:\/\/127\.0\.0\.1:3000\/v1\/locks\/orders-42\/try /m);
  expect(text).not.toContain('SECRET');
});

test('the banner says where the locks are', () => {
  expect(bannerOf()).toContain('in memory');
  expect(bannerOf('--data', 'there')).toContain('in the folder there');
  expect(bannerOf('--dynamodb', 'http://127.0.0.1:8000')).toContain('in the DynamoDB at http://127.0.0.1:8000');
});

test('the banner says what is limited, and nothing where nothing is', () => {
  expect(bannerOf()).not.toMatch(/functions:|throttled:/);
  const text = bannerOf('--concurrency', '30', '--reserve', 'lease=20', '--throttle', 'acquire=0.5:1');
  expect(text).toContain('  functions: at most 30 at once, 20 of them only lease\n');
  expect(text).toContain('  throttled: acquire 0.5/s (1 at once)\n');
});

test('with authorization it has the key pair, and the command signs with it', () => {
  const text = bannerOf('--auth', 'iam');
  const accessKeyId = /AWS_ACCESS_KEY_ID=(\S+)/.exec(text)?.[1];
  const secretAccessKey = /AWS_SECRET_ACCESS_KEY=(\S+)/.exec(text)?.[1];
  expect(text).toContain(`curl --aws-sigv4 aws:amz:us-east-1:execute-api --user ${accessKeyId}:${secretAccessKey} `);
});

test.each(['127.0.0.1', 'localhost', '::1'])('%s needs no warning', (host) => {
  expect(hostWarning(host)).toBeUndefined();
});

test.each(['0.0.0.0', '::', '192.168.0.7', 'build-7'])('%s is warned of', (host) => {
  expect(hostWarning(host)).toMatch(`${host} is not a loopback address: everybody who can reach it can take`);
});
