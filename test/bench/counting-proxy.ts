import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as sendTo } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostMs } from '../support/host-clock.ts';
import type { CapacityMeter } from './capacity-meter.ts';

/** One request that went through, with its body as JSON. */
export interface CountedRequest {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly startedMs: number;
  /** When its answer had been passed on; nothing yet. */
  endedMs?: number;
  /** Capacity units that it consumed, once it is answered, where there is a meter. */
  units?: number;
}

export interface CountingProxy {
  readonly url: string;
  /** Every request so far, in the order in which they came. */
  readonly requests: readonly CountedRequest[];
  stop(): Promise<void>;
}

/**
 * Starts an HTTP proxy before a server that remembers what went through it.
 *
 * @param meter before a database: what tells capacity units
 */
export async function startCountingProxy(
  upstream: string,
  operationOf: (request: IncomingMessage) => string,
  meter?: CapacityMeter,
): Promise<CountingProxy> {
  const requests: CountedRequest[] = [];
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const text = Buffer.concat(chunks).toString();
      const counted: CountedRequest = {
        operation: operationOf(request),
        body: text === '' ? {} : JSON.parse(text),
        startedMs: hostMs(),
      };
      requests.push(counted);
      const { method, url } = request;
      const sent = meter ? meter.asking(text) : text;
      const headers = { ...request.headers, ...(meter && { 'content-length': String(Buffer.byteLength(sent)) }) };
      const outgoing = sendTo(new URL(url ?? '/', upstream), { method, headers, agent }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        if (!meter) return;
        const answered: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => answered.push(chunk));
        answer.once('end', () => {
          counted.units = meter.unitsOf(counted, Buffer.concat(answered).toString());
        });
      });
      outgoing.on('error', () => response.destroy());
      response.once('close', () => {
        counted.endedMs = hostMs();
        if (!response.writableFinished) outgoing.destroy();
      });
      outgoing.end(sent);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await once(server, 'close');
    },
  };
}
