import { type Lock, LockServiceError } from '../../../sdk/index.ts';

/** Whether a short try got the lock. On a busy machine it may get no answer in time, and nobody knows: try it again. */
export async function tried(lock: Lock, tryMs: number): Promise<boolean> {
  try {
    return await lock.tryLock(tryMs);
  } catch (error) {
    if (error instanceof LockServiceError) return false;
    throw error;
  }
}
