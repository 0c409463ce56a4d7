import { setTimeout as pause } from 'node:timers/promises';
import { LockFactory } from '../../../sdk/index.ts';
import type { Grant, WaitersReport } from './tasks.ts';

/** Some who wait for a lock, in one process but each with a factory of its own: each has its own place in line. */
export class Waiters {
  readonly #url: string;
  readonly #grants: Grant[] = [];
  readonly #failures: string[] = [];
  #told = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Lets so many ask for the locks by turns; resolves when the last one has. */
  async wait(lockIds: readonly string[], waiters: number, startsPerSecond: number, holdMs: number): Promise<void> {
    for (let waiter = 0; waiter < waiters; waiter++) {
      const lockId = lockIds[waiter % lockIds.length] ?? '';
      this.#waitFor(waiter, lockId, holdMs).catch((error: unknown) => this.#failures.push(String(error)));
      // All of them within a moment are more than one process with a database in it can take.
      await pause(1_000 / startsPerSecond);
    }
  }

  report(): WaitersReport {
    return { told: this.#told, grants: this.#grants, failures: this.#failures };
  }

  async #waitFor(waiter: number, lockId: string, holdMs: number): Promise<void> {
    const locks = LockFactory.connect({
      url: this.#url,
      onEvent: ({ type }) => {
        if (type === 'waiting') this.#told++;
      },
    });
    const lease = await locks.createLock(lockId).acquire();
    this.#grants.push({ waiter, lockId, fencingToken: lease.fencingToken });
    await pause(holdMs);
    await lease.release();
  }
}
