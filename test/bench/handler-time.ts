import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { functionBundle } from '../../esbuild.config.ts';
import { startDynamoDb } from '../support/dynamodb.ts';
import { withBundledClient } from './bundled-client.ts';
import { deployment } from './cost-model.ts';
import { type Figure, ms } from './figures.ts';
import type { CallTime, HandlerReport, HandlerTask } from './handler-time-client.ts';
import type { Part } from './part.ts';
import { ClientProcess } from './processes.ts';

// At this size a function has one processor, and a share of it below.
const oneProcessorMb = 1_769;

/** What a short call takes of a processor, in the bundle that is deployed, and what the cost model bills it with. */
export const handlerTime: Part = async ({ quick }) => {
  const { times } = await report(quick ? 500 : 3_000);
  const share = deployment.shortCallMb / oneProcessorMb;
  const figures = Object.entries(times).map(
    ([operation, { processorMs, elapsedMs }]): Figure => ({
      figure: `${operation}: processor time of the lease function, one call`,
      measured: `${ms(processorMs)} (${ms(elapsedMs)} until it was answered; at ${deployment.shortCallMb} MB, ${share.toFixed(3)} of a processor like this one, ${ms(processorMs / share)})`,
    }),
  );
  const meanMs = mean(Object.values(times)) / share;
  return [
    ...figures,
    {
      figure: 'a short call as it is billed: all its processor time at that share, without waiting for the database',
      target: `≤ ${deployment.shortCallMs} ms (the model)`,
      measured: ms(meanMs),
      met: meanMs <= deployment.shortCallMs,
    },
  ];
};

function mean(times: readonly CallTime[]): number {
  return times.reduce((sum, { processorMs }) => sum + processorMs, 0) / times.length;
}

async function report(calls: number): Promise<HandlerReport> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-function-'));
  const dynamoDb = await startDynamoDb();
  try {
    const bundle = join(folder, 'index.mjs');
    await build({ ...functionBundle, entryPoints: [join(__dirname, '../../lambda/lease.ts')], outfile: bundle });
    const task: HandlerTask = { endpoint: dynamoDb.endpoint, table: await dynamoDb.createTable(), calls };
    return await withBundledClient('handler-time-client.ts', async (program) => {
      const client = new ClientProcess('handler-time-client.ts', [bundle, JSON.stringify(task)], program);
      const done = await client.done();
      await client.kill();
      return done;
    });
  } finally {
    await dynamoDb.stop();
    await rm(folder, { recursive: true });
  }
}
