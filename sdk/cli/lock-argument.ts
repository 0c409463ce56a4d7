import { UsageError } from './usage-error.ts';

/**
 * Checks what only a command line can do to a lock id; the rest is the SDK's business.
 *
 * @throws UsageError for text that was no UTF-8: all such text would be one lock
 */
export function checkLockArgument(lockId: string): void {
  if (!lockId.includes('\uFFFD')) return;
  throw new UsageError('the lock id must be UTF-8 text without U+FFFD, got other bytes');
}
