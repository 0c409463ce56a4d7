import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { newOwnerToken } from '../sdk/wire/owner-token.ts';
import type { FunctionName } from '../sdk/wire/routes.ts';
import { EmittedMetrics } from './emitted-metrics.ts';
import { functionEnvironment } from './environment.ts';
import { createHandler, type Handler, type Log } from './http/handler.ts';
import { LockService } from './service/lock-service.ts';
import { defaultTiming } from './service/timing.ts';
import { createDynamoDbClient } from './store/dynamodb-client.ts';
import { DynamoDbLockStore } from './store/dynamodb-lock-store.ts';

/** Wires one function: environment, client, store, service, log, metrics. The client is made once and kept between calls. */
export function lockFunction(name: FunctionName, env: Record<string, string | undefined>): Handler {
  const { table, authorization, maxLeaseMs, lineLimit, service: deployment } = functionEnvironment(env);
  const store = new DynamoDbLockStore(createDynamoDbClient(), table);
  const surroundings = { now: Date.now, sleep: (ms: number) => sleep(ms), random: Math.random };
  const service = new LockService(store, surroundings, { ...defaultTiming, lineLimit });
  const log = logOf(name, deployment);
  const metrics = new EmittedMetrics(deployment, Date.now);
  return createHandler({ function: name, service, authorization, maxLeaseMs, newOwnerToken, log, metrics });
}

// Powertools keeps appended keys per process, not per call, so every line brings its own fields. Its logging of whole
// events hangs on a middleware that is not used here: events hold owner tokens.
function logOf(name: FunctionName, deployment: string): Log {
  const logger = new Logger({ serviceName: deployment, persistentKeys: { function: name } });
  return {
    info: (message, fields) => logger.info(message, fields),
    warn: (message, fields) => logger.warn(message, fields),
    error: (message, fields) => logger.error(message, fields),
  };
}
