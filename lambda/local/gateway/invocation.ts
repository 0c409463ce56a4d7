import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { type Answer, gatewayAnswers } from './answer.ts';
import { answerOf } from './lambda-result.ts';

/** A function as Lambda calls it. */
export type LambdaHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;

/** How long the gateway waits for a function, milliseconds. */
export const integrationTimeoutMs = 29_000;

/** What ends the gateway's wait before the function answers. */
export interface Patience {
  readonly timeoutMs: number;
  /** The stack stops. */
  readonly stopping: AbortSignal;
}

/**
 * Runs a function and gives its answer, or the gateway's own when it throws or is not ready in time. A function that is
 * given up goes on running, as on Lambda.
 *
 * @param report told when the function throws
 */
export async function invoke(
  handler: LambdaHandler,
  event: APIGatewayProxyEventV2,
  context: Context,
  { timeoutMs, stopping }: Patience,
  report: (error: unknown) => void,
): Promise<Answer> {
  let giveUp = () => {};
  const givenUp = new Promise<Answer>((resolve) => {
    giveUp = () => resolve(gatewayAnswers.serviceUnavailable);
  });
  const timer = setTimeout(giveUp, timeoutMs);
  stopping.addEventListener('abort', giveUp, { once: true });
  if (stopping.aborted) giveUp();
  try {
    return await Promise.race([run(handler, event, context, report), givenUp]);
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', giveUp);
  }
}

async function run(
  handler: LambdaHandler,
  event: APIGatewayProxyEventV2,
  context: Context,
  report: (error: unknown) => void,
): Promise<Answer> {
  try {
    // An event reaches a function as JSON: nothing is shared with the gateway.
    const received = JSON.parse(JSON.stringify(event)) as APIGatewayProxyEventV2;
    return answerOf(await handler(received, context)) ?? gatewayAnswers.internalServerError;
  } catch (error) {
    report(error);
    return gatewayAnswers.internalServerError;
  }
}
