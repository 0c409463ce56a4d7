import type { LockSystem } from '../lock-system.ts';

const slowFromMs = 5_000;

/** Whether those who wait do nothing for seconds, so that only few hand-overs can be measured. */
export function isSlow({ waitsMs = 0 }: LockSystem): boolean {
  return waitsMs >= slowFromMs;
}
