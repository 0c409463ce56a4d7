import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendTo } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What to do to a request: never forward it, forward it and lose the reply, or keep it for later. */
export type Fault = 'refuse' | 'drop-reply' | 'hold';

/** A fault that waits for its request. */
export interface Trap {
  /** Resolves when the fault has struck: for `drop-reply`, when the server has answered. */
  readonly struck: Promise<void>;
  /** Forwards a held request after all, and resolves with the server's status code. The sender has long gone. */
  forward(): Promise<number>;
}

export interface FaultyProxy {
  readonly endpoint: string;
  /** How many requests came in, by operation. */
  readonly counts: ReadonlyMap<string, number>;
  /** Lets the next request of this operation meet the fault; several traps of one operation strike in order. */
  setTrap(operation: string, fault: Fault): Trap;
  stop(): Promise<void>;
}

interface SetTrap {
  readonly operation: string;
  readonly fault: Fault;
  strike(forward: () => Promise<number>): void;
}

/** The operation of a request to DynamoDB, such as `UpdateItem`. */
export function dynamoDbOperation(request: IncomingMessage): string {
  return String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
}

/** The operation of a request to the lock service, such as `try`. */
export function lockOperation(request: IncomingMessage): string {
  return request.url?.split('/').at(-1) ?? '';
}

/** Starts an HTTP proxy before a server: real connections, faults on demand. */
export async function startFaultyProxy(upstream: string, operationOf = dynamoDbOperation): Promise<FaultyProxy> {
  const traps: SetTrap[] = [];
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const operation = operationOf(request);
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    const forward = () => ask(upstream, request, body);
    const at = traps.findIndex((trap) => trap.operation === operation);
    const [trap] = at >= 0 ? traps.splice(at, 1) : [];
    if (trap?.fault === 'drop-reply') await forward();
    if (trap) {
      if (trap.fault !== 'hold') response.destroy();
      trap.strike(async () => (await forward()).status);
      return;
    }
    const answer = await forward();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    setTrap(operation, fault) {
      let forwardHeld: (() => Promise<number>) | undefined;
      const struck = new Promise<void>((resolve) => {
        traps.push({
          operation,
          fault,
          strike(forward) {
            forwardHeld = forward;
            resolve();
          },
        });
      });
      return {
        struck,
        async forward() {
          await struck;
          if (!forwardHeld) throw new Error('no request is held');
          return forwardHeld();
        },
      };
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function ask(upstream: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  // The signature covers the host, and neither database checks it; the host stays as the client wrote it.
  const outgoing = sendTo(new URL(url ?? '/', upstream), { method, headers });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await bodyOf(answer) };
}
