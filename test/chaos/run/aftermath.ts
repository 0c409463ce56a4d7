import { setTimeout as pause } from 'node:timers/promises';
import { connectEmbedded } from '../../../sdk/embedded.ts';
import { hostMs } from '../../support/host-clock.ts';
import { bounds } from './bounds.ts';
import { type Cluster, tables } from './cluster.ts';
import { shape } from './shape.ts';
import { OperationLog } from './worker/operation-log.ts';
import { Resource } from './worker/resource.ts';

/** Lets every operation end that was begun, and what is still under way on the network arrive. */
export async function finish(cluster: Cluster, healedMs: number): Promise<void> {
  const finished = cluster.workers.map(async ({ program, name }) => {
    const done = program.report('finished', AbortSignal.timeout(bounds.finishWithinMs + 5_000));
    program.tell({ kind: 'finish' });
    // The history says which operation did not end.
    await done.catch((error: unknown) => process.stderr.write(`${name} did not finish: ${error}\n`));
  });
  await Promise.all(finished);
  await pause(Math.max(0, healedMs + shape.delayMs + 1_000 - hostMs()));
}

/** Somebody new takes each lock, whatever was left there, and gives it back. */
export async function takeEachOnce({ recorder, networks }: Cluster): Promise<void> {
  const log = new OperationLog(recorder, 'probe');
  const { endpoint } = networks.resource;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const locks = connectEmbedded({ table: tables.locks, endpoint, region: 'local', credentials });
  const { leaseMs } = shape;
  for (const lockId of [...shape.lockIds, shape.seasonalLockId]) {
    const handle = locks.createLock(lockId, { leaseMs });
    const wanted = { leaseMs, waitMs: bounds.probeWaitMs };
    const op = log.newOperation();
    await log.run(
      'timedTryLock',
      lockId,
      wanted,
      async () => {
        if (!(await handle.tryLock(bounds.probeWaitMs))) return { granted: false };
        const lookedAtMs = hostMs();
        const { remainingMs = 0 } = handle.toJSON();
        return { granted: true, fencingToken: handle.fencingToken ?? 0, remainingMs, lookedAtMs };
      },
      op,
    );
    await log.run('release', lockId, { hold: op }, async () => {
      await handle.unlock();
      return {};
    });
  }
  await locks.dispose();
}

/** Disposes each factory; then each worker has to end by itself. */
export async function dispose(cluster: Cluster): Promise<void> {
  const ended = cluster.workers.map(async ({ program, name }) => {
    program.tell({ kind: 'dispose' });
    const isEnded = await program.endsByItself(bounds.exitWithinMs);
    cluster.tell({ type: 'processEnd', gone: name, how: isEnded ? 'exited' : 'hung' });
  });
  await Promise.all(ended);
}

/** What is left in the registers and counters. */
export async function lookAtResource(cluster: Cluster): Promise<void> {
  const resource = new Resource({ endpoint: cluster.networks.resource.endpoint, table: tables.resource });
  for (const lockId of [...shape.lockIds, shape.seasonalLockId]) {
    cluster.tell({ type: 'register', lockId, ...(await resource.register(lockId)) });
    cluster.tell({ type: 'counter', lockId, value: await resource.counter(lockId) });
  }
  resource.close();
}
