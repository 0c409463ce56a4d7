import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { routeKey } from '../../../sdk/wire/routes.ts';
import { type IamIdentity, testIdentity } from '../test-key-pair.ts';
import { encodeBody } from './request-body.ts';
import { type RequestHeaders, splitHeaders } from './request-headers.ts';
import type { RequestTarget } from './request-target.ts';
import type { RouteMatch } from './route-match.ts';

/** A request whose route is known, complete with its body. */
export interface RoutedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly target: RequestTarget;
  readonly protocol: string;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly localPort: number;
  readonly match: RouteMatch;
  /** Who signed it; none where nobody authorizes. */
  readonly identity: IamIdentity | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Makes the event, payload format 2.0, that the HTTP API hands to a function. */
export function eventOf(request: RoutedRequest): APIGatewayProxyEventV2 {
  const { target, match, identity } = request;
  const { headers, cookies } = splitHeaders(request.headers);
  const host = request.headers.get('host') ?? '';
  const domainName = host.replace(/:\d*$/, '');
  const key = routeKey(match.route);
  const query = queryOf(target.query);
  return {
    version: '2.0',
    routeKey: key,
    rawPath: target.path,
    rawQueryString: target.query,
    ...(cookies.length > 0 && { cookies }),
    headers: { ...Object.fromEntries(headers), ...forwardingHeaders(request) },
    ...(query && { queryStringParameters: query }),
    requestContext: {
      accountId: testIdentity.accountId,
      apiId: 'local',
      ...(identity && { authorizer: { iam: identity } }),
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: {
        method: request.method,
        path: target.path,
        protocol: request.protocol,
        sourceIp: request.sourceIp,
        userAgent: request.headers.get('user-agent') ?? '',
      },
      requestId: request.requestId,
      routeKey: key,
      stage: '$default',
      time: logTime(request.now),
      timeEpoch: request.now,
    },
    ...(Object.keys(match.pathParameters).length > 0 && { pathParameters: { ...match.pathParameters } }),
    ...encodeBody(request.body, request.headers.get('content-type')),
  };
}

function queryOf(query: string): Record<string, string> | undefined {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const earlier = values.get(name);
    values.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return values.size > 0 ? Object.fromEntries(values) : undefined;
}

function forwardingHeaders({ headers, sourceIp, localPort, now }: RoutedRequest): Record<string, string> {
  const earlier = headers.get('x-forwarded-for');
  const seconds = Math.floor(now / 1_000).toString(16);
  return {
    'x-amzn-trace-id': headers.get('x-amzn-trace-id') ?? `Root=1-${seconds}-${randomBytes(12).toString('hex')}`,
    'x-forwarded-for': earlier === undefined ? sourceIp : `${earlier}, ${sourceIp}`,
    'x-forwarded-port': String(localPort),
    'x-forwarded-proto': 'http',
  };
}

/** The time as access logs write it: `12/Mar/2020:19:03:58 +0000`. */
function logTime(now: number): string {
  const [, day, month, year, time] = new Date(now).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
