import { type Lease, LockFactory } from '../../../sdk/index.ts';
import type { HoldersReport, ReleaseReport } from './tasks.ts';

const lookEveryMs = 100;

/** Some who hold a lock each, in one process, and renew it. */
export class Holders {
  readonly #locks: LockFactory;
  readonly #leases: Lease[] = [];
  readonly #renewals = new Map<string, number>();
  readonly #lost: string[] = [];
  readonly #failedRenewals: Record<string, number> = {};
  #leastLeftMs = Number.POSITIVE_INFINITY;
  #looking: ReturnType<typeof setInterval> | undefined;

  constructor(url: string) {
    this.#locks = LockFactory.connect({
      url,
      onEvent: (event) => {
        if (event.type === 'renewed') this.#renewals.set(event.lockId, (this.#renewals.get(event.lockId) ?? 0) + 1);
        if (event.type === 'renewFailed') this.#failed(event.error.message.replace(/ from http\S+/, ''));
        if (event.type === 'lost') this.#lost.push(`${event.lockId}: ${event.reason}`);
      },
    });
  }

  /** Takes each of the locks. */
  async hold(lockIds: readonly string[], leaseMs: number): Promise<void> {
    for (const lockId of lockIds) this.#renewals.set(lockId, 0);
    this.#leases.push(
      ...(await Promise.all(lockIds.map((lockId) => this.#locks.createLock(lockId).acquire({ leaseMs })))),
    );
    this.#looking = setInterval(() => this.#look(), lookEveryMs);
  }

  /** Gives all of them back. */
  async release(): Promise<ReleaseReport> {
    clearInterval(this.#looking);
    const outcomes = await Promise.allSettled(this.#leases.map((lease) => lease.release()));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    return { released: outcomes.length - failures.length, failures };
  }

  report(): HoldersReport {
    this.#look();
    return {
      holding: this.#leases.filter((lease) => lease.isHeld).length,
      lost: this.#lost,
      fewestRenewals: Math.min(...this.#renewals.values()),
      failedRenewals: this.#failedRenewals,
      leastLeftMs: this.#leastLeftMs,
    };
  }

  #failed(how: string): void {
    this.#failedRenewals[how] = (this.#failedRenewals[how] ?? 0) + 1;
  }

  // Of a lost lease 0 ms are left.
  #look(): void {
    for (const lease of this.#leases) this.#leastLeftMs = Math.min(this.#leastLeftMs, lease.remainingMs);
  }
}
