import { type LockFactory, LockServiceError } from '../index.ts';
import type { StandardError } from './standard-error.ts';

const everyMs = 5_000;

/**
 * Tells people once that the service fails while they wait for a lock: a wait without an end goes on as long as the
 * service answers at all, be it with faults. As long as nothing was heard of the lock, it is looked at now and then.
 */
export class FailureNotice {
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(lockId: string, locks: LockFactory, standardError: StandardError) {
    const look = async () => {
      if (this.#isLooking) return;
      this.#isLooking = true;
      try {
        await locks.inspect(lockId);
      } catch (error) {
        if (error instanceof LockServiceError) {
          standardError.say(`the service fails, and lock ${lockId} is waited for all the same (${error.message})`);
        }
        this.stop();
      }
      this.#isLooking = false;
    };
    this.#timer = setInterval(() => void look(), everyMs);
  }

  /** Ends it: something was heard, or nobody waits any more. */
  stop(): void {
    clearInterval(this.#timer);
  }
}
