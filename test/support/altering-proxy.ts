import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as sendTo } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request on its way. The path is as it came, with its query. */
export interface PassingRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer on its way. */
export interface PassingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the proxy does to what passes. */
export interface Alteration {
  /** What is sent on in place of a request; an answer: nothing is, and that is answered. */
  request?(request: PassingRequest): PassingRequest | PassingAnswer | Promise<PassingRequest | PassingAnswer>;
  /** What is answered in place of an answer. */
  answer?(answer: PassingAnswer, request: PassingRequest): PassingAnswer | Promise<PassingAnswer>;
}

export interface AlteringProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** A proxy before a server, which so seems to be another: one that is wrong, or one that does more. */
export async function startAlteringProxy(upstream: string, alteration: Alteration): Promise<AlteringProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const request = { method, path: url, headers: headers as Record<string, string>, body: await text(incoming) };
    const sent = (await alteration.request?.(request)) ?? request;
    const got = 'status' in sent ? sent : await ask(sent);
    const { status, headers: own, body } = (await alteration.answer?.(got, request)) ?? got;
    const { 'content-length': _length, 'transfer-encoding': _encoding, connection: _connection, ...kept } = own;
    // The server's date is passed on, or missed.
    if (!('status' in sent)) response.sendDate = false;
    response.writeHead(status, kept).end(body);
  }

  async function ask({ method, path, headers, body }: PassingRequest): Promise<PassingAnswer> {
    const { 'content-length': _length, 'transfer-encoding': _encoding, connection: _connection, ...kept } = headers;
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const { hostname, port } = new URL(upstream);
    const outgoing = sendTo({ method, hostname, port, path, headers: { ...kept, ...length }, agent });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const answered = answer.headers as Record<string, string>;
    return { status: answer.statusCode ?? 502, headers: answered, body: await text(answer) };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await once(server, 'close');
    },
  };
}
