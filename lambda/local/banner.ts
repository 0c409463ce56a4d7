import { operationDocs } from '../../sdk/wire/documentation.ts';
import { lockPath, routeKey, routes } from '../../sdk/wire/routes.ts';
import { isLoopback } from './gateway/browser-guard.ts';
import { limitsText } from './limits.ts';
import type { Options, Place } from './options.ts';
import { testKeyPair } from './test-key-pair.ts';

/** What the local stack prints when it is ready: its address, the routes, and a command to try. */
export function banner(url: string, { authorization, place, limits }: Options): string {
  const all = Object.values(routes);
  const width = Math.max(...all.map((route) => routeKey(route).length));
  const lines = [
    `Holdfast is ready on ${url}`,
    '',
    `  locks: ${placeText(place)}`,
    ...(authorization === 'iam'
      ? [
          '  requests must be signed (AWS Signature Version 4, service execute-api, any Region) with the test key pair',
          `    AWS_ACCESS_KEY_ID=${testKeyPair.accessKeyId}`,
          `    AWS_SECRET_ACCESS_KEY=${testKeyPair.secretAccessKey}`,
        ]
      : ['  requests need no signature (--auth iam asks for one)']),
    ...limitsText(limits).map((line) => `  ${line}`),
    '',
    ...all.map((route) => `  ${routeKey(route).padEnd(width)}  ${operationDocs[route.operation].summary}`),
    '',
    'Try it:',
    '',
    `  ${curlLine(url, authorization)}`,
    '',
    'Ctrl-C stops it.',
  ];
  return `${lines.join('\n')}\n`;
}

function curlLine(url: string, authorization: Options['authorization']): string {
  const signing =
    authorization === 'iam'
      ? `--aws-sigv4 aws:amz:us-east-1:execute-api --user ${testKeyPair.accessKeyId}:${testKeyPair.secretAccessKey} `
      : '';
  const body = `-H 'content-type: application/json' -d '{"holder":"me","leaseMs":30000}'`;
  return `curl ${signing}-X POST ${url}${lockPath(routes.try, 'orders-42')} ${body}`;
}

function placeText(place: Place): string {
  switch (place.kind) {
    case 'memory':
      return 'in memory, gone when it stops (--data DIR keeps them)';
    case 'folder':
      return `in the folder ${place.path}`;
    case 'endpoint':
      return `in the DynamoDB at ${place.url}`;
  }
}

/** What to warn of, or nothing. */
export function hostWarning(host: string): string | undefined {
  if (isLoopback(host)) return undefined;
  return `warning: ${host} is not a loopback address: everybody who can reach it can take, release and break locks\n`;
}
