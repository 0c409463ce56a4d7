import { setTimeout as pause } from 'node:timers/promises';
import { CounterFile } from '../../sdk/examples/demo/counter-file.ts';
import { HoldfastError, type Lock } from '../../sdk/index.ts';
import { connect } from '../bench/place.ts';
import { seededRandom } from '../support/seeded-random.ts';
import type { WorkerCommand, WorkerReport, WorkerTask } from './messages.ts';
import { shape } from './shape.ts';

// A process of a soak, which uses the SDK as the demo does and in its other ways, until it is told to end.

const task = JSON.parse(process.argv[2] ?? '') as WorkerTask;
const random = seededRandom(task.seed);
const say = (report: WorkerReport) => process.send?.(report);

const ending = new AbortController();
let counted = 0;
let holds = 0;
const errors: Record<string, number> = {};

async function main(): Promise<void> {
  const locks = await connect(task.place);
  const pauseUpTo = (ms: number) => pause(ms * random());
  const shelfLock = () => locks.createLock(`${shape.shelf}${Math.floor(random() * shape.shelfLocks)}`);

  async function held(lock: Lock): Promise<void> {
    holds++;
    await pauseUpTo(shape.holdUpToMs);
    await lock.unlock();
  }

  const ways: Readonly<Record<string, () => Promise<void>>> = {
    async count() {
      await locks.withLock(shape.counterLock, { leaseMs: shape.counterLeaseMs }, async (lease) => {
        holds++;
        if (task.counterFile === undefined) return pauseUpTo(shape.holdUpToMs);
        // The file checks no fencing token: what is not sure to end in time is not begun.
        if (lease.remainingMs < shape.countWithinMs) return;
        await new CounterFile(task.counterFile).increment(shape.readToWriteMs);
        counted++;
      });
    },
    async tryLock() {
      const lock = shelfLock();
      if (await lock.tryLock()) await held(lock);
    },
    async timedTryLock() {
      const lock = shelfLock();
      if (await lock.tryLock(shape.tryMs)) await held(lock);
    },
    async keepRenewed() {
      const lease = await locks
        .createLock(`${shape.shelf}kept by ${task.name}`, { leaseMs: shape.keptLeaseMs })
        .acquire();
      holds++;
      await pause(shape.keptMs, undefined, { signal: AbortSignal.any([lease.signal, ending.signal]) }).catch(() => {});
      if (lease.isHeld) await lease.release();
    },
  };

  async function again(way: string): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await ways[way]?.();
      } catch (error) {
        // A fault that was not foreseen ends the process, and with it the soak.
        if (!(error instanceof HoldfastError)) throw error;
        errors[error.name] = (errors[error.name] ?? 0) + 1;
      }
      await pauseUpTo(shape.betweenUpToMs);
    }
  }

  const flows = Object.keys(ways).map(again);
  process.on('message', ({ kind }: WorkerCommand) => {
    if (kind === 'end') ending.abort();
    else say({ kind: 'told', ...inUse(), counted, holds, errors });
  });
  say({ kind: 'ready' });
  await Promise.all(flows);
  await locks.dispose();
  process.send?.({ kind: 'ended', counted, holds, errors } satisfies WorkerReport, () => process.disconnect());
}

function inUse() {
  globalThis.gc?.();
  const timers = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  return { heapMiB: process.memoryUsage().heapUsed / 2 ** 20, timers };
}

// Its parent has ended.
process.once('disconnect', () => process.exit());
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
});
