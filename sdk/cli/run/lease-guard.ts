import type { Lease, LeaseLostError } from '../../index.ts';

/** What the guard ends. */
export interface Guarded {
  signal(signal: NodeJS.Signals): void;
}

/** Told what the guard does, and why. */
export type GuardListener = (signal: 'SIGTERM' | 'SIGKILL', why: string, remainingMs: number) => void;

// The machine may have slept, or its clock may have been set, which no timer notices.
const longestPauseMs = 1_000;

/** How long before the deadline a command is asked to end, milliseconds. */
export function graceOf(leaseMs: number): number {
  return Math.min(5_000, leaseMs / 4);
}

/**
 * Ends a command before its lease does: TERM a grace before the deadline, KILL at the deadline, whatever the network
 * does. A lease that the service says is lost: TERM at once, and KILL when the grace or the last known deadline is over.
 * A deadline that has passed unseen, because this process was frozen: KILL at once.
 */
export class LeaseGuard {
  readonly #lease: Lease;
  readonly #graceMs: number;
  readonly #guarded: Guarded;
  readonly #listener: GuardListener;
  #deadlineMs: number;
  #killMs: number | undefined;
  #isKilled = false;
  #isLooking = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(lease: Lease, leaseMs: number, guarded: Guarded, listener: GuardListener) {
    this.#lease = lease;
    this.#graceMs = graceOf(leaseMs);
    this.#guarded = guarded;
    this.#listener = listener;
    this.#deadlineMs = performance.now() + lease.remainingMs;
    lease.signal.addEventListener('abort', this.look);
    this.look();
  }

  /** Whether it has asked the command to end. */
  get hasStruck(): boolean {
    return this.#killMs !== undefined;
  }

  /** Compares the clocks now, and does what is due. */
  readonly look = (): void => {
    // The lease, looked at, may tell of its own loss.
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { remainingMs, isHeld } = this.#lease;
    const nowMs = performance.now();
    if (isHeld) this.#deadlineMs = nowMs + remainingMs;
    if (!isHeld) this.#lost(nowMs);
    else if (remainingMs <= this.#graceMs) this.#terminate(nowMs + remainingMs, 'its deadline is near', remainingMs);
    if (this.#killMs !== undefined && nowMs >= this.#killMs) this.#kill();
    this.#lookAgain(remainingMs - this.#graceMs);
    this.#isLooking = false;
  };

  /** Ends it: the command has ended. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#isStopped = true;
    this.#lease.signal.removeEventListener('abort', this.look);
  }

  #lost(nowMs: number): void {
    const { reason } = this.#lease.signal.reason as LeaseLostError;
    const isSaidByService = ['superseded', 'broken', 'absent'].includes(reason);
    const killMs = isSaidByService ? Math.min(nowMs + this.#graceMs, this.#deadlineMs) : nowMs;
    if (killMs > nowMs) this.#terminate(killMs, reason, 0);
    this.#killMs = Math.min(killMs, this.#killMs ?? killMs);
  }

  #terminate(killMs: number, why: string, remainingMs: number): void {
    if (this.#killMs !== undefined) return;
    this.#killMs = killMs;
    this.#listener('SIGTERM', why, remainingMs);
    this.#guarded.signal('SIGTERM');
    // One that is stopped would not see it.
    this.#guarded.signal('SIGCONT');
  }

  // Again at each look, until the command is seen to have ended.
  #kill(): void {
    const { reason } = (this.#lease.signal.reason ?? { reason: 'its deadline has passed' }) as LeaseLostError;
    if (!this.#isKilled) this.#listener('SIGKILL', reason, 0);
    this.#isKilled = true;
    this.#guarded.signal('SIGKILL');
  }

  #lookAgain(untilGraceMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const dueMs = this.#killMs === undefined ? untilGraceMs : this.#killMs - performance.now();
    const pauseMs = this.#isKilled ? longestPauseMs : Math.min(longestPauseMs, Math.max(1, dueMs));
    this.#timer = setTimeout(this.look, pauseMs);
  }
}
