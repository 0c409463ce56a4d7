import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as sendTo } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** An answer of the server, or one in its place. */
export interface ProxyAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer | string;
}

/** One request that came to a proxy. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  /** Where the answer goes: destroy it to reset the connection. */
  readonly response: ServerResponse;
  /** Sends the request on, as often as it is called, and gives the server's answer. */
  forward(): Promise<ProxyAnswer>;
}

export interface HttpProxy {
  readonly endpoint: string;
  /** Resets every connection that is open, whatever is under way on it. */
  dropConnections(): void;
  stop(): Promise<void>;
}

/** Answers a request. */
export function pass(response: ServerResponse, { status, headers, body }: ProxyAnswer): void {
  response.writeHead(status, headers).end(body);
}

/**
 * Starts an HTTP proxy: real connections, and `serve` decides what becomes of each request. What it throws resets the
 * connection.
 *
 * @param upstream asked for each request where the server is
 */
export async function startHttpProxy(
  upstream: () => string,
  serve: (exchange: Exchange) => Promise<void>,
): Promise<HttpProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    await serve({ request, body, response, forward: () => ask(upstream(), request, body, agent) });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropConnections: () => server.closeAllConnections(),
    async stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

async function ask(
  upstream: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  agent: Agent,
): Promise<ProxyAnswer> {
  // The signature covers the host, and neither database checks it; the host stays as the client wrote it.
  const outgoing = sendTo(new URL(url ?? '/', upstream), { method, headers, agent });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) };
}
