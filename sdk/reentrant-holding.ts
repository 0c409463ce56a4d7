import { onAbort } from './abort-listeners.ts';
import type { Held } from './backend.ts';
import { type Clocks, elapsedMs } from './clocks.ts';
import { IllegalMonitorStateError, InterruptedError, LeaseLostError } from './errors.ts';
import type { Contend, Holding } from './holding.ts';
import type { Lease } from './lease.ts';
import type { AcquireOptions } from './options.ts';

interface Hold {
  readonly lease: Lease;
  /** How many times it was taken and not given back yet. */
  count: number;
}

/**
 * The holds of a logical thread: while it holds the lock, taking it again only counts, and the lock is released when it
 * was given back as many times.
 *
 * A lease that was lost is lost for every level: taking it again and each giving back reject until all are through, so
 * that no outer level believes that a newer lease is its own.
 */
export class ReentrantHolding implements Holding {
  readonly #lockId: string;
  readonly #contend: Contend;
  readonly #clocks: Clocks;
  // Never more than one: another grant proves that a hold whose release failed is over.
  #hold: Hold | undefined;
  // The flows of this owner that stand in line: when one gets the lock, the others have it too.
  readonly #waiting = new Set<AbortController>();

  constructor(lockId: string, contend: Contend, clocks: Clocks) {
    this.#lockId = lockId;
    this.#contend = contend;
    this.#clocks = clocks;
  }

  get lease(): Lease | undefined {
    return this.#hold?.lease;
  }

  /** @throws LeaseLostError while a hold that was lost was not given back as many times as it was taken */
  async take(options: AcquireOptions): Promise<Held | undefined> {
    const { signal, waitMs = Number.POSITIVE_INFINITY } = options;
    const enteredAt = this.#clocks.now();
    for (;;) {
      if (signal?.aborted) throw new InterruptedError('the wait for the lock was aborted');
      if (this.#reenter()) return undefined;
      const leftMs = Math.max(0, waitMs - elapsedMs(enteredAt, this.#clocks));
      const outcome = await this.#standInLine({ ...options, waitMs: leftMs });
      if (outcome !== 'withdrawn') return outcome;
    }
  }

  async giveBack(): Promise<void> {
    const hold = this.#hold;
    if (!hold) throw new IllegalMonitorStateError(`this owner does not hold lock ${JSON.stringify(this.#lockId)}`);
    if (hold.count > 1) {
      hold.count--;
      hold.lease.assertHeld();
      return;
    }
    this.#hold = undefined;
    try {
      await hold.lease.release();
    } catch (error) {
      if (!(error instanceof LeaseLostError)) this.#hold ??= hold;
      throw error;
    }
  }

  /** Forgets a hold whose release failed, when nobody will try again. Outer levels of a lost one are left to reject. */
  abandon(lease: Lease): void {
    if (this.#hold?.lease !== lease || lease.signal.aborted) return;
    lease.abandon();
    this.#hold = undefined;
  }

  // Only a hold that is whole is taken again: one whose release failed is on its way out.
  #reenter(): boolean {
    const hold = this.#hold;
    if (!hold || hold.lease.isReleaseTried) return false;
    hold.lease.assertHeld();
    hold.count++;
    return true;
  }

  // Waits as any owner does, or until another flow of this owner has the lock: then it stands in line no longer.
  async #standInLine(options: AcquireOptions): Promise<Held | undefined | 'withdrawn'> {
    const withdrawal = new AbortController();
    const { signal } = options;
    const unlisten = signal ? onAbort(signal, () => withdrawal.abort()) : () => undefined;
    this.#waiting.add(withdrawal);
    try {
      const outcome = await this.#contend(this.#lockId, { ...options, signal: withdrawal.signal });
      if ('kind' in outcome) return outcome;
      this.#hold = { lease: outcome, count: 1 };
      this.#waiting.delete(withdrawal);
      for (const other of this.#waiting) other.abort();
      return undefined;
    } catch (error) {
      const isWithdrawn = error instanceof InterruptedError && withdrawal.signal.aborted && !signal?.aborted;
      if (isWithdrawn) return 'withdrawn';
      throw error;
    } finally {
      unlisten();
      this.#waiting.delete(withdrawal);
    }
  }
}
