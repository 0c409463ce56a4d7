/**
 * What a client asks of its backend, wherever that can be seen: over HTTP the request, before a store the write or read.
 *
 * - `claim`: an attempt to get the lock; over HTTP `try`.
 * - `join`: standing in line; over HTTP `acquire`, which is under way as long as it waits.
 * - `renew`, `release`: also to confirm, hand over, pass on, leave the line.
 * - `look`: a read.
 */
export type Step = 'claim' | 'join' | 'renew' | 'release' | 'break' | 'look';

/**
 * What befalls one request.
 *
 * - `lost-request`: it never arrives, and its connection is reset.
 * - `lost-reply`: it is answered, and its connection is reset instead.
 * - `reset`: it arrives, and its connection is reset before the answer.
 * - `cut-off`: it never arrives, and nothing is heard, as when a cable is cut.
 * - `silence`: it is applied, and nothing is heard.
 * - `held-request`: it arrives once it is let through; until then nothing is heard.
 * - `held-reply`: it is applied, and its reply comes once it is let through.
 * - `throttled`, `failed`: it does nothing and is answered so; `failed` says that its outcome is unknown.
 * - `refused`: it does nothing, and repeating it will not help.
 */
export type Fault =
  | 'lost-request'
  | 'lost-reply'
  | 'reset'
  | 'cut-off'
  | 'silence'
  | 'held-request'
  | 'held-reply'
  | 'throttled'
  | 'failed'
  | 'refused';

/** A fault that waits for its request. */
export interface Trap {
  /** Resolves when it has struck. */
  readonly struck: Promise<void>;
  /** Lets what is held through; resolves when a held request was answered. */
  letThrough(): Promise<void>;
}

/** What lies between one client and its backend. */
export interface Network {
  /** Every request so far, in order. */
  readonly asked: readonly Step[];
  /** The next request of this kind meets the fault; several traps for one kind strike in order. */
  trap(step: Step, fault: Fault): Trap;
  /** Decides what each request meets that no trap waits for; nothing: every one gets through. */
  setRule(rule?: (step: Step) => Fault | undefined): void;
  /** Resets every connection that is open, whatever is under way on it. */
  dropConnections(): void;
  /** Lets a request arrive once more, by its place in `asked`; the client hears nothing of it. */
  replay(index: number): Promise<void>;
}

/** What a client asked without the looks that it takes: how many those are is the store's business. */
export function withoutLooks({ asked }: Network): Step[] {
  return asked.filter((step) => step !== 'look');
}
