import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { encodeLockId } from '../../sdk/wire/lock-id.ts';
import { fillPath, type Operation, routeKey, routes } from '../../sdk/wire/routes.ts';

/** What a test says of a request; the rest is as the gateway sends it. */
export interface Sent {
  readonly lockId?: string;
  /** The path's segment as the gateway gives it, instead of the lock id's spelling. */
  readonly segment?: string;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string;
  readonly isBase64Encoded?: boolean;
  /** Instead of `application/json`; `null` for none. */
  readonly contentType?: string | null;
  /** Besides those that every request has. */
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly rawPath?: string;
  readonly routeKey?: string;
  readonly authorizer?: object;
}

export const requestId = 'request-1';

/** A payload of format 2.0 as API Gateway makes it: decoded path, lower-case header names. */
export function gatewayEvent(operation: Operation, sent: Sent = {}): APIGatewayProxyEventV2 {
  const route = routes[operation];
  const segment = sent.segment ?? encodeLockId(sent.lockId ?? 'a');
  const path = sent.rawPath ?? fillPath(route, segment);
  const body = typeof sent.body === 'object' ? JSON.stringify(sent.body) : sent.body;
  const key = sent.routeKey ?? routeKey(route);
  const { contentType = 'application/json' } = sent;
  return {
    version: '2.0',
    routeKey: key,
    rawPath: path,
    rawQueryString: new URLSearchParams(sent.query).toString(),
    headers: { host: 'api.example', ...(contentType !== null && { 'content-type': contentType }), ...sent.headers },
    ...(sent.query && { queryStringParameters: sent.query }),
    ...(route.path.includes('{lockId}') && { pathParameters: { lockId: segment } }),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName: 'api.example',
      domainPrefix: 'api',
      http: { method: route.method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId,
      routeKey: key,
      stage: '$default',
      time: '15/Jan/2027:08:00:00 +0000',
      timeEpoch: 1_800_000_000_000,
      ...(sent.authorizer && { authorizer: sent.authorizer }),
    } as APIGatewayProxyEventV2['requestContext'],
    ...(body !== undefined && { body }),
    isBase64Encoded: sent.isBase64Encoded ?? false,
  };
}
