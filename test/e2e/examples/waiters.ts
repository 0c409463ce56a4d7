import { setTimeout as pause } from 'node:timers/promises';
import { LockFactory } from '../../../sdk/index.ts';

// Looks that follow one another at once take the processor from those who are to get in line.
const lookEveryMs = 20;

/** Resolves when this many stand in line for a lock. */
export async function waiters(url: string, lockId: string, count: number): Promise<void> {
  const locks = LockFactory.connect({ url });
  while ((await locks.inspect(lockId)).waiters !== count) await pause(lookEveryMs);
}
