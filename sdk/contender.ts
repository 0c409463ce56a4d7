import { onAbort } from './abort-listeners.ts';
import type { Held } from './backend.ts';
import type { Clocks } from './clocks.ts';
import type { Disposal } from './disposal.ts';
import { InterruptedError } from './errors.ts';
import type { Emit } from './events.ts';
import type { Lease } from './lease.ts';
import type { Renewal } from './lease-timers.ts';
import { timerMs } from './pause.ts';

/** The lease that a flow wants, and its label. */
export interface Wish {
  readonly leaseMs: number;
  readonly holder: string | undefined;
}

/** Whether a contender wants what was asked for, perhaps by another. */
export function asksFor({ request }: Contender, { leaseMs, holder }: Wish): boolean {
  return request.leaseMs === leaseMs && request.holder === holder;
}

/** How long a flow waits, and what ends that. */
export interface WaitRequest {
  /** How long to wait for a lock that is held; 0: one attempt; Infinity: for ever. */
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  /** Of the factory: ends the wait. */
  readonly disposal: Disposal;
}

/** What one flow asks for. */
export interface ContenderRequest extends Wish, WaitRequest {
  /** Milliseconds; Infinity: no bound. */
  readonly maxHoldMs: number;
  readonly renewal: Renewal;
  /** Tells of what becomes of it. */
  readonly emit: Emit;
}

/** Why a contender ends without its own doing. */
export type StopReason = 'aborted' | 'disposed' | 'time';

// One attempt without waiting takes 3 s at the most.
const singleWithinMs = 3_000;
const graceMs = 500;

/** What a flow is told whose wait was ended. */
export function interrupted(why: 'aborted' | 'disposed'): InterruptedError {
  return new InterruptedError(
    why === 'aborted'
      ? 'the wait for the lock was aborted'
      : 'the lock factory is disposed and acquires no locks any more',
  );
}

/**
 * One flow that wants a lock: what it asks for, how long it waits, and what it gets. It is settled once; from then on no
 * timer and no listener of it is left.
 */
export class Contender<Outcome = Lease | Held, Request extends WaitRequest = ContenderRequest> {
  readonly request: Request;
  /** Whether it waits for a lock that is held, or makes one attempt. */
  readonly waits: boolean;
  /** Milliseconds; Infinity: no end. */
  readonly limitMs: number;
  readonly settled: Promise<Outcome>;
  readonly #clocks: Clocks;
  readonly #enteredMs: number;
  readonly #onStop: (contender: Contender<Outcome, Request>, why: StopReason) => void;
  #resolve: (outcome: Outcome) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isExtended = false;
  #unlisten: () => void;

  /** @param onStop told when it is aborted, disposed, or its time is over */
  constructor(
    request: Request,
    clocks: Clocks,
    onStop: (contender: Contender<Outcome, Request>, why: StopReason) => void,
  ) {
    this.request = request;
    this.waits = request.waitMs > 0;
    this.limitMs = this.waits ? request.waitMs : singleWithinMs;
    this.#clocks = clocks;
    this.#enteredMs = clocks.now().monotonicMs;
    this.#onStop = onStop;
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal, disposal } = request;
    const stopListening = [
      disposal.listen(() => onStop(this, 'disposed')),
      ...(signal ? [onAbort(signal, () => onStop(this, 'aborted'))] : []),
    ];
    this.#unlisten = () => {
      for (const stop of stopListening) stop();
    };
    this.#wakeIn(this.limitMs);
  }

  /** Milliseconds since it entered. */
  get waitedMs(): number {
    return this.#clocks.now().monotonicMs - this.#enteredMs;
  }

  /** Milliseconds of its time that are left, 0 or more. */
  get leftMs(): number {
    return Math.max(0, this.limitMs - this.waitedMs);
  }

  /** Lets an answer that is on its way come in, once: its time is over a little later. False: it had been already. */
  extend(): boolean {
    if (this.#isExtended) return false;
    this.#isExtended = true;
    this.#wakeIn(graceMs);
    return true;
  }

  /** Ends its timer and its listeners; it is settled later. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#unlisten();
  }

  resolve(outcome: Outcome): void {
    this.stop();
    this.#resolve(outcome);
  }

  reject(error: Error): void {
    this.stop();
    this.#reject(error);
  }

  // A flow without an end has a timer too: it keeps the process alive, because somebody awaits it.
  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    const overMs = timerMs(ms);
    this.#timer = setTimeout(() => (overMs < ms ? this.#wakeIn(ms - overMs) : this.#onStop(this, 'time')), overMs);
  }
}
