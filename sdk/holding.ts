import type { Held } from './backend.ts';
import { IllegalMonitorStateError, LeaseLostError } from './errors.ts';
import type { Lease } from './lease.ts';
import type { AcquireOptions } from './options.ts';
import { warn } from './warning.ts';

/** Waits for a lock: its lease, or who holds it when the time is over. */
export type Contend = (lockId: string, options: AcquireOptions) => Promise<Lease | Held>;

/** What one owner holds of one lock. */
export interface Holding {
  /** The lease of the last hold; nothing when there is none. It may be lost. */
  readonly lease: Lease | undefined;
  /** Takes a hold: nothing when it did, or who has the lock when the time is over. */
  take(options: AcquireOptions): Promise<Held | undefined>;
  /**
   * Gives a hold back. When that fails it stays, so that it can be tried again.
   *
   * @throws IllegalMonitorStateError when there is none
   * @throws LeaseLostError when it was lost; it is gone then
   */
  giveBack(): Promise<void>;
}

const ownHandleWarningMs = 5_000;

/** The holds of a handle that is an owner by itself: its second hold waits for the end of the first. */
export class HandleHolding implements Holding {
  readonly #lockId: string;
  readonly #contend: Contend;
  // Oldest first. More than one only where an older hold was lost and not unlocked yet.
  #leases: Lease[] = [];

  constructor(lockId: string, contend: Contend) {
    this.#lockId = lockId;
    this.#contend = contend;
  }

  get lease(): Lease | undefined {
    return this.#leases.at(-1);
  }

  async take(options: AcquireOptions): Promise<Held | undefined> {
    const warning = this.#isHeld ? setTimeout(() => this.#warnOfOwnHandle(), ownHandleWarningMs) : undefined;
    try {
      const outcome = await this.#contend(this.#lockId, options);
      if ('kind' in outcome) return outcome;
      // Another grant proves that a hold whose release failed is over by now: nothing is left of it to be unlocked.
      this.#leases = [...this.#leases.filter((lease) => !lease.isReleaseTried), outcome];
      return undefined;
    } finally {
      clearTimeout(warning);
    }
  }

  async giveBack(): Promise<void> {
    const lease = this.#leases.shift();
    if (!lease) throw new IllegalMonitorStateError(`this handle does not hold lock ${JSON.stringify(this.#lockId)}`);
    try {
      await lease.release();
    } catch (error) {
      if (!(error instanceof LeaseLostError)) this.#leases.unshift(lease);
      throw error;
    }
  }

  get #isHeld(): boolean {
    return this.lease?.isHeld === true;
  }

  #warnOfOwnHandle(): void {
    if (!this.#isHeld) return;
    warn(
      'holdfast-waiting-for-own-handle',
      `a flow waits for lock ${JSON.stringify(this.#lockId)} on the very handle that holds it; create one handle per flow`,
    );
  }
}
