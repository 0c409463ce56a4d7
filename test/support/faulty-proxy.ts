import type { IncomingMessage } from 'node:http';
import { type Exchange, type ProxyAnswer, pass, startHttpProxy } from './http-proxy.ts';

/**
 * What to do to a request.
 *
 * - `refuse`: never forward it, and reset the connection.
 * - `swallow`: never forward it, and say nothing.
 * - `reset`: forward it, and reset the connection without waiting for the reply.
 * - `drop-reply`: forward it, wait for the reply, and reset the connection.
 * - `mute`: forward it, and say nothing.
 * - `hold`: keep it for later, and say nothing.
 * - `hold-reply`: forward it, and keep the reply for later.
 * - an answer: never forward it, and answer this.
 */
export type Fault = 'refuse' | 'swallow' | 'reset' | 'drop-reply' | 'mute' | 'hold' | 'hold-reply' | ProxyAnswer;

/** A fault that waits for its request. */
export interface Trap {
  /** Resolves when the fault has struck: where the request is forwarded, when the server has answered or is being asked. */
  readonly struck: Promise<void>;
  /** Forwards a held request after all, and resolves with the server's status code. The sender has long gone. */
  forward(): Promise<number>;
  /** Passes a held reply on. */
  passOn(): void;
}

export interface FaultyProxy {
  readonly endpoint: string;
  /** How many requests came in, by operation. */
  readonly counts: ReadonlyMap<string, number>;
  /** The operations of all requests, in the order in which they came in. */
  readonly operations: readonly string[];
  /** Lets the next request of this operation meet the fault; several traps of one operation strike in order. */
  setTrap(operation: string, fault: Fault): Trap;
  /** Decides what each request meets that no trap waits for; nothing: none meets any. */
  setRule(rule?: (operation: string) => Fault | undefined): void;
  /** Resets every connection that is open, whatever is under way on it. */
  dropConnections(): void;
  /** Forwards the request with this place in `operations` once more, and resolves with the server's status code. */
  replay(index: number): Promise<number>;
  stop(): Promise<void>;
}

interface SetTrap {
  readonly operation: string;
  readonly fault: Fault;
  strike(forward: () => Promise<number>): void;
  readonly passedOn: Promise<void>;
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
export async function startFaultyProxy(
  upstream: string,
  operationOf: (request: IncomingMessage, body: Buffer) => string = dynamoDbOperation,
): Promise<FaultyProxy> {
  const traps: SetTrap[] = [];
  const operations: string[] = [];
  const counts = new Map<string, number>();
  const forwards: (() => Promise<ProxyAnswer>)[] = [];
  let ruleOf: (operation: string) => Fault | undefined = () => undefined;
  const proxy = await startHttpProxy(() => upstream, serve);

  async function serve(exchange: Exchange): Promise<void> {
    const operation = operationOf(exchange.request, exchange.body);
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    operations.push(operation);
    forwards.push(exchange.forward);
    const at = traps.findIndex((trap) => trap.operation === operation);
    const [trap] = at >= 0 ? traps.splice(at, 1) : [];
    await meet(trap?.fault ?? ruleOf(operation), exchange, trap);
  }

  async function meet(
    fault: Fault | undefined,
    { forward, response }: Exchange,
    trap: SetTrap | undefined,
  ): Promise<void> {
    const strike = () => trap?.strike(async () => (await forward()).status);
    if (fault === undefined) return pass(response, await forward());
    if (typeof fault === 'object') {
      strike();
      return pass(response, fault);
    }
    if (fault === 'drop-reply' || fault === 'mute') await forward();
    // Whatever comes of it, nobody hears of it.
    if (fault === 'reset') forward().catch(() => undefined);
    const answer = fault === 'hold-reply' ? await forward() : undefined;
    if (['refuse', 'drop-reply', 'reset'].includes(fault)) response.destroy();
    strike();
    if (!answer) return;
    await trap?.passedOn;
    pass(response, answer);
  }

  return {
    endpoint: proxy.endpoint,
    counts,
    operations,
    setTrap(operation, fault) {
      let forwardHeld: (() => Promise<number>) | undefined;
      let passOn: () => void = () => undefined;
      const passedOn = new Promise<void>((resolve) => {
        passOn = resolve;
      });
      const struck = new Promise<void>((resolve) => {
        traps.push({
          operation,
          fault,
          passedOn,
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
        passOn: () => passOn(),
      };
    },
    setRule(rule = () => undefined) {
      ruleOf = rule;
    },
    dropConnections: proxy.dropConnections,
    async replay(index) {
      const forward = forwards[index];
      if (!forward) throw new Error(`there was no request ${index}`);
      return (await forward()).status;
    },
    stop: proxy.stop,
  };
}
