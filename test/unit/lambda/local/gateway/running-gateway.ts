import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { createGateway, type GatewayConfig } from '../../../../../lambda/local/gateway/gateway.ts';
import type { LambdaHandler } from '../../../../../lambda/local/gateway/invocation.ts';

export interface RunningGateway {
  readonly port: number;
  readonly url: string;
  /** What the functions were called with. */
  readonly calls: { readonly name: string; readonly event: APIGatewayProxyEventV2; readonly context: Context }[];
  /** What the functions threw. */
  readonly reported: unknown[];
  readonly stopping: AbortController;
  send(request: SentRequest): Promise<Reply>;
  close(): Promise<void>;
}

export interface SentRequest {
  readonly method?: string;
  /** Goes onto the wire as it is: no URL parser tidies it up. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Runs the gateway emulator on a free port, in front of one small handler in the place of all three functions. */
export async function runGateway(
  handler: LambdaHandler = async () => ({ statusCode: 200 }),
  config: Partial<GatewayConfig> = {},
): Promise<RunningGateway> {
  const calls: RunningGateway['calls'] = [];
  const reported: unknown[] = [];
  const stopping = new AbortController();
  const recorded = (name: string): LambdaHandler => {
    return (event, context) => {
      calls.push({ name, event, context });
      return handler(event, context);
    };
  };
  const server = createGateway({
    functions: { acquire: recorded('acquire'), lease: recorded('lease'), admin: recorded('admin') },
    host: '127.0.0.1',
    authorization: 'none',
    stopping: stopping.signal,
    report: (_name, error) => reported.push(error),
    ...config,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    calls,
    reported,
    stopping,
    send: (request) => send(port, request),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function send(port: number, { method = 'GET', path, headers = {}, body }: SentRequest): Promise<Reply> {
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false });
  request.end(body);
  const [response] = await once(request, 'response');
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, body: text };
}
