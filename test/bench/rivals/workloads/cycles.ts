import { hostMs } from '../../../support/host-clock.ts';
import type { LockClient } from '../lock-system.ts';

/** Cycles of taking and giving back that followed one another. */
export interface Cycles {
  /** What each took, milliseconds. */
  readonly cycleMs: readonly number[];
  /** What this process computed for all of them, milliseconds of a processor, wherever the database is. */
  readonly cpuMs: number;
}

/** Takes and gives back each of these locks, one after the other. */
export async function runCycles(client: LockClient, lockIds: readonly string[]): Promise<Cycles> {
  client.prepare?.(lockIds);
  const cycleMs: number[] = [];
  const before = process.cpuUsage();
  for (const lockId of lockIds) {
    const startedMs = hostMs();
    const held = await client.lock(lockId);
    await held.release();
    cycleMs.push(hostMs() - startedMs);
  }
  const { user, system } = process.cpuUsage(before);
  return { cycleMs, cpuMs: (user + system) / 1_000 };
}
