import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { dynamoDbOperation } from './faulty-proxy.ts';

/** A proxy before a database, through which the database's clock seems to be another. */
export interface DatingProxy {
  readonly endpoint: string;
  /** How far the `Date` headers are moved, milliseconds; `none`: there are none. */
  offsetMs: number | 'none';
  /** The operations that were asked for, in order, such as `UpdateItem`. */
  readonly operations: string[];
  /** How many connections are open. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts one. */
export async function startDatingProxy(upstream: string): Promise<DatingProxy> {
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    proxy.operations.push(dynamoDbOperation(request));
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const sent = { method: 'POST', headers: headers as Record<string, string>, body: await buffer(request) };
    const answer = await fetch(upstream, sent);
    response.sendDate = false;
    if (proxy.offsetMs !== 'none') response.setHeader('date', new Date(Date.now() + proxy.offsetMs).toUTCString());
    response.setHeader('x-amzn-requestid', answer.headers.get('x-amzn-requestid') ?? '');
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(await answer.text());
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: DatingProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    offsetMs: 0,
    operations: [],
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return proxy;
}
