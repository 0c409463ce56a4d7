import { hostMs } from '../../../support/host-clock.ts';
import type { LockClient, LockSystem } from '../lock-system.ts';
import { beforeLong } from './before-long.ts';

/** What became of many locks that were to be taken and given back. */
export interface ManyLocks {
  readonly seconds: number;
  readonly done: number;
  /** Rejected, as some systems do when a write of theirs had to be repeated. */
  readonly failed: number;
}

// More than a busy machine can explain: the system does not work.
const mostFailed = 0.1;

/** Takes and gives back each of so many different locks, by workers that each take the next one. */
export async function takeMany(
  { name }: LockSystem,
  client: LockClient,
  { locks, workers }: { readonly locks: number; readonly workers: number },
): Promise<ManyLocks> {
  const lockIds = Array.from({ length: locks }, (_, at) => `bench/many ${name} ${at}`);
  client.prepare?.(lockIds);
  const rest = lockIds.values();
  const errors: unknown[] = [];
  const worker = async () => {
    for (const lockId of rest) {
      try {
        await (await client.lock(lockId)).release();
      } catch (error) {
        errors.push(error);
      }
    }
  };
  const startedMs = hostMs();
  await beforeLong(name, Promise.all(Array.from({ length: workers }, worker)));
  const seconds = (hostMs() - startedMs) / 1_000;
  const failed = errors.length;
  if (failed > locks * mostFailed) throw new Error(`${name} failed ${failed} of ${locks} times`, { cause: errors[0] });
  return { seconds, done: locks - failed, failed };
}
