import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

/** How long a function may run, milliseconds: a second less than the gateway waits for it. */
export const functionTimeoutMs = 28_000;

/** The context of one invocation that began at `startedAt`, read from a clock that only goes forward, milliseconds. */
export function lambdaContext(
  functionName: string,
  timeoutMs: number = functionTimeoutMs,
  clock: () => number = () => performance.now(),
): Context {
  const startedAt = clock();
  const unsupported = () => {
    throw new Error('the local stack runs async handlers only, as nodejs24.x does');
  };
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: '128',
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(timeoutMs - (clock() - startedAt))),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  };
}
