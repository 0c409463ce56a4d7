import { randomUUID } from 'node:crypto';
import type { Ground, LockSystem, Tuning } from '../lock-system.ts';
import { ContenderProcess } from './contender-process.ts';

/** A lock that a process of its own holds until it is told otherwise. */
export interface HeldLock {
  readonly lockId: string;
  readonly holder: ContenderProcess;
  /** By {@link hostMs}: when lock() was called, and when it returned. */
  readonly askedMs: number;
  readonly grantedMs: number;
}

export async function holdLock(system: LockSystem, ground: Ground, tuning: Tuning = {}): Promise<HeldLock> {
  const lockId = `bench/held ${randomUUID()}`;
  const holder = await contenders(system, ground, 1, tuning);
  const taken = holder.report('taken');
  holder.send({ kind: 'take', lockId });
  const { askedMs, grantedMs } = await taken;
  return { lockId, holder, askedMs, grantedMs };
}

/** A process of contenders that have not asked for anything yet, each with a client of its own. */
export function contenders(
  system: LockSystem,
  ground: Ground,
  many: number,
  tuning: Tuning = {},
): Promise<ContenderProcess> {
  const numbers = Array.from({ length: many }, (_, at) => at);
  return ContenderProcess.start({ system: system.name, ground, tuning, contenders: numbers, shared: false });
}
