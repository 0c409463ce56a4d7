import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type FunctionName, routes } from '../../../sdk/wire/routes.ts';
import type { Concurrency } from '../../throttles.ts';
import type { IamIdentity } from '../test-key-pair.ts';
import { type Answer, gatewayAnswers } from './answer.ts';
import { isForeign } from './browser-guard.ts';
import { eventOf } from './event.ts';
import { FunctionSlots } from './function-slots.ts';
import { integrationTimeoutMs, invoke, type LambdaHandler } from './invocation.ts';
import { lambdaContext } from './lambda-context.ts';
import { readBody } from './request-body.ts';
import { headerBytes, headerBytesLimit, readHeaders } from './request-headers.ts';
import { parseRequestTarget } from './request-target.ts';
import { matchRoute } from './route-match.ts';
import { RouteThrottles, type Throttles } from './route-throttles.ts';
import { verifySignature } from './signature.ts';

export interface GatewayConfig {
  /** The functions behind the routes. */
  readonly functions: Readonly<Record<FunctionName, LambdaHandler>>;
  /** The host that the server will listen on. */
  readonly host: string;
  readonly authorization: 'none' | 'iam';
  /** Aborted when the stack stops: whoever still waits is answered 503. */
  readonly stopping: AbortSignal;
  /** Told when a function throws. */
  readonly report: (functionName: FunctionName, error: unknown) => void;
  /** What each route takes before it answers 429; default: everything. */
  readonly throttles?: Throttles;
  /** How many functions run at once before the gateway answers 503; default: no limit. */
  readonly concurrency?: Concurrency | undefined;
  /** Default 29 s. */
  readonly integrationTimeoutMs?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** A clock that only goes forward, milliseconds. */
  readonly clock?: () => number;
}

/** What the gateway remembers from one request to the next. */
interface Limits {
  readonly throttles: RouteThrottles;
  readonly slots: FunctionSlots;
}

const routeList = Object.values(routes);

/** An HTTP server that answers as an API Gateway HTTP API in front of Lambda does. */
export function createGateway(config: GatewayConfig): Server {
  // Every request that waits listens for the end.
  setMaxListeners(0, config.stopping);
  const limits = {
    throttles: new RouteThrottles(config.throttles ?? {}, config.clock ?? (() => performance.now())),
    slots: new FunctionSlots(config.concurrency),
  };
  // The emulator counts header bytes itself, so Node must let somewhat more through. A client may keep a connection
  // for a minute between two requests, so that none is closed just as it is used again.
  return createServer({ maxHeaderSize: 65_536, keepAliveTimeout: 60_000 }, (request, response) => {
    const requestId = randomBytes(11).toString('base64url');
    answer(config, limits, request, requestId).then(
      (done) => send(request, response, done, requestId, config.stopping.aborted),
      // Only a client that went away gets no answer.
      () => response.destroy(),
    );
  });
}

async function answer(
  config: GatewayConfig,
  { throttles, slots }: Limits,
  request: IncomingMessage,
  requestId: string,
): Promise<Answer> {
  const { method = '', url = '', socket } = request;
  const headers = readHeaders(request.rawHeaders);
  if (headerBytes(method, url, headers) > headerBytesLimit) return gatewayAnswers.headersTooLarge;
  if (isForeign(headers, config.host)) return gatewayAnswers.forbidden;
  const target = parseRequestTarget(url);
  if (!target) return gatewayAnswers.badRequest;
  const match = matchRoute(routeList, method, target.path);
  if (!match) return gatewayAnswers.notFound;
  const body = await readBody(request);
  if (body === 'too long') return gatewayAnswers.requestTooLong;
  if (!throttles.take(match.route.operation)) return gatewayAnswers.tooManyRequests;

  const now = (config.now ?? Date.now)();
  let identity: IamIdentity | undefined;
  if (config.authorization === 'iam') {
    identity = await verifySignature({ method, target, headers, body }, now);
    if (!identity) return gatewayAnswers.forbidden;
  }
  const event = eventOf({
    requestId,
    method,
    target,
    protocol: `HTTP/${request.httpVersion}`,
    headers,
    body,
    sourceIp: (socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    localPort: socket.localPort ?? 0,
    match,
    identity,
    now,
  });
  const name = match.route.function;
  const handler = slots.occupy(name, config.functions[name]);
  if (!handler) return gatewayAnswers.serviceUnavailable;
  const patience = { timeoutMs: config.integrationTimeoutMs ?? integrationTimeoutMs, stopping: config.stopping };
  return invoke(handler, event, lambdaContext(name), patience, (error) => config.report(name, error));
}

// How long a client that is answered early may go on sending, milliseconds.
const lingerMs = 1_000;

function send(
  request: IncomingMessage,
  response: ServerResponse,
  done: Answer,
  requestId: string,
  last: boolean,
): void {
  const { statusCode, headers, body } = done;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('apigw-requestid', requestId);
  if (last) response.setHeader('connection', 'close');
  if (statusCode !== 204 && statusCode !== 304) response.setHeader('content-length', body.length);
  response.statusCode = statusCode;
  if (request.complete) {
    response.end(body);
    return;
  }
  // Ending now may close the connection, and a client that is still sending would lose the answer.
  response.write(body);
  request.resume();
  const timer = setTimeout(() => response.end(), lingerMs);
  request.once('close', () => {
    clearTimeout(timer);
    response.end();
  });
}
