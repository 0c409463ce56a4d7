import { createHandler, type Handler, type HandlerConfig } from '../../lambda/http/handler.ts';
import type { Measured } from '../../lambda/http/metrics.ts';
import type { LockItem } from '../../lambda/service/lock-item.ts';
import { limits } from '../../sdk/wire/limits.ts';
import { type FunctionName, type Operation, routes } from '../../sdk/wire/routes.ts';
import { departureFromDocument } from './documented-answer.ts';
import { gatewayEvent, type Sent } from './gateway-event.ts';
import type { Interposition } from './interposed-store.ts';
import { type ServiceUnderTest, serviceUnderTest } from './service-under-test.ts';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects of a body
  readonly body: any;
}

export interface HandlersUnderTest extends ServiceUnderTest {
  /** Sends a request to the function that serves the operation; every answer is checked against the document. */
  send(operation: Operation, sent?: Sent): Promise<HttpAnswer>;
  /** Milliseconds that the functions have left. */
  remainingMs: number;
  readonly log: LogLine[];
  /** What was measured, call by call; nothing of it when the test brings metrics of its own. */
  readonly measured: { readonly operation: Operation; readonly measured: Measured }[];
}

/** The token that the service makes for callers who bring none. */
export const madeToken = 'made-by-the-service-xx';

/** The three functions' handlers over a real lock service in virtual time. */
export function handlersUnderTest(
  options: { items?: LockItem[]; interposition?: Interposition } & Partial<
    Pick<HandlerConfig, 'authorization' | 'maxLeaseMs' | 'metrics'>
  > = {},
): HandlersUnderTest {
  const under = serviceUnderTest(options);
  const log: LogLine[] = [];
  const write = (level: LogLine['level']) => (message: string, fields: Record<string, unknown>) => {
    // As it was when it was written: a logger does not wait.
    log.push({ level, message, fields: { ...fields } });
  };
  const measured: HandlersUnderTest['measured'] = [];
  const handlers = new Map<FunctionName, Handler>();
  for (const name of ['acquire', 'lease', 'admin'] as const) {
    const handler = createHandler({
      function: name,
      service: under.service,
      authorization: options.authorization ?? 'none',
      maxLeaseMs: options.maxLeaseMs ?? limits.maxLeaseMs.default,
      newOwnerToken: () => madeToken,
      log: { info: write('info'), warn: write('warn'), error: write('error') },
      metrics: options.metrics ?? { add: (operation, each) => measured.push({ operation, measured: each }) },
    });
    handlers.set(name, handler);
  }
  const all: HandlersUnderTest = {
    ...under,
    remainingMs: 28_000,
    log,
    measured,
    async send(operation, sent) {
      const handler = handlers.get(routes[operation].function) as Handler;
      const context = { getRemainingTimeInMillis: () => all.remainingMs };
      const answer = await under.time.run(handler(gatewayEvent(operation, sent), context));
      // Only the gateway's own answer is not of the document.
      if (answer.statusCode !== 404) expect(departureFromDocument(operation, answer)).toBeUndefined();
      return {
        status: answer.statusCode ?? 0,
        headers: answer.headers as Record<string, string>,
        body: JSON.parse(answer.body ?? ''),
      };
    },
  };
  return all;
}
