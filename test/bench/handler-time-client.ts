import { pathToFileURL } from 'node:url';
import type { Handler } from '../../lambda/http/handler.ts';
import { environmentNames } from '../../lambda/names.ts';
import { newOwnerToken } from '../../sdk/wire/owner-token.ts';
import type { Operation } from '../../sdk/wire/routes.ts';
import { gatewayEvent } from '../support/gateway-event.ts';
import { fail } from './client-failure.ts';

// Calls a function's handler, out of its bundle, as Lambda does: one call after the other. Its arguments: the bundle, and what
// it does, as JSON.

export interface HandlerTask {
  readonly endpoint: string;
  readonly table: string;
  readonly calls: number;
}

/** Milliseconds of one call, on average. */
export interface CallTime {
  readonly processorMs: number;
  readonly elapsedMs: number;
}

export interface HandlerReport {
  readonly kind: 'done';
  readonly times: Readonly<Record<'try' | 'renew' | 'release', CallTime>>;
}

const warmUps = 1_000;

async function main(): Promise<void> {
  const [bundle = '', task]: [string | undefined, HandlerTask] = [process.argv[2], JSON.parse(process.argv[3] ?? '')];
  Object.assign(process.env, {
    [environmentNames.table]: task.table,
    [environmentNames.authorization]: 'none',
    AWS_ENDPOINT_URL_DYNAMODB: task.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const { handler }: { handler: Handler } = await import(pathToFileURL(bundle).href);
  const call = (operation: Operation, at: number, body: object) => answered(handler, operation, `bench/${at}`, body);
  const rounds = async (from: number, count: number) => {
    const tokens = Array.from({ length: count }, newOwnerToken);
    const each = (operation: Operation) =>
      timed(count, (at) => call(operation, from + at, { ownerToken: tokens[at], ...bodies[operation] }));
    return { try: await each('try'), renew: await each('renew'), release: await each('release') };
  };
  await rounds(0, warmUps);
  const report: HandlerReport = { kind: 'done', times: await rounds(warmUps, task.calls) };
  process.send?.(report);
}

const bodies: Partial<Record<Operation, object>> = { try: { leaseMs: 600_000 }, renew: { leaseMs: 700_000 } };

async function answered(handler: Handler, operation: Operation, lockId: string, body: object): Promise<void> {
  const { statusCode } = await handler(gatewayEvent(operation, { lockId, body }), {
    getRemainingTimeInMillis: () => 28_000,
  });
  if (statusCode !== 200) throw new Error(`${operation} must be answered with 200, got ${statusCode}`);
}

async function timed(count: number, call: (at: number) => Promise<void>): Promise<CallTime> {
  globalThis.gc?.();
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()];
  for (let at = 0; at < count; at++) await call(at);
  const { user, system } = process.cpuUsage(cpu);
  return { processorMs: (user + system) / 1_000 / count, elapsedMs: (performance.now() - startedMs) / count };
}

// Its parent has ended.
process.once('disconnect', () => process.exit());
main().catch(fail);
