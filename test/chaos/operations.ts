import type { LostReason } from '../../sdk/errors.ts';

/** A look at what a hold has left. The clock is read before the lease is asked, so a freeze in between hides nothing. */
export interface Remaining {
  /** What the lease said, milliseconds: `remainingMs` of the SDK. */
  readonly remainingMs: number;
  /** The host clock just before it was asked. The deadline lies from `lookedAtMs` to the event's `atMs`, plus `remainingMs`. */
  readonly lookedAtMs: number;
}

/** The lock was acquired. The operation's id names the hold from here on. */
export interface Granted extends Remaining {
  readonly granted: true;
  readonly fencingToken: number;
}

/** The lock was not acquired: another had it until the time was over. */
export interface NotGranted {
  readonly granted: false;
}

/** What a worker asks of a lock or of what the lock protects, by operation: the arguments of an `invoke`. */
export interface Arguments {
  readonly tryLock: Wanted;
  readonly lock: Wanted;
  /** `waitMs`: how long at the most, milliseconds. */
  readonly timedTryLock: Wanted & { readonly waitMs: number };
  /** By hand (`lease.renew()`); those that the SDK makes by itself are `renewed` events. */
  readonly renew: OfHold;
  readonly release: OfHold;
  /** An administrator takes the lock from the hold that the fencing token names. */
  readonly break: { readonly fencingToken: number };
  readonly inspect: Readonly<Record<never, never>>;
  /** A write to the lock's register, which refuses a fencing token lower than the highest that it has seen. Sent once. */
  readonly fencedWrite: OfHold & {
    readonly fencingToken: number /** Unlike that of every other write. */;
    readonly value: string;
  };
  /** Read, pause, write back one more: loses additions when two do it at once. */
  readonly unfencedAdd: OfHold;
}

interface Wanted {
  readonly leaseMs: number;
  /** Whether its lease has `renewal: 'manual'`: it has no timer, and finds that it is over when it is looked at. */
  readonly isRenewedByHand?: boolean;
}

/** What happens under a hold, whether that still lasts or not. */
interface OfHold {
  /** The id of the operation that acquired it. */
  readonly hold: string;
}

/** What an operation answered that succeeded, by operation: the result of an `ok`. */
export interface Results {
  readonly tryLock: Granted | NotGranted;
  readonly lock: Granted;
  readonly timedTryLock: Granted | NotGranted;
  readonly renew: Remaining;
  /** The lock was given back. One that is not held any more fails, with `lease-lost`. */
  readonly release: Readonly<Record<never, never>>;
  /** The hold is over by this very call. `holder-changed` and `not-held` are failures. */
  readonly break: Readonly<Record<never, never>>;
  readonly inspect: {
    /** As the service says: `over`: the lease ended and nobody has taken the lock. */
    readonly state: 'free' | 'held' | 'provisional' | 'over';
    /** Of the present or last hold; nothing: never held. */
    readonly fencingToken?: number;
    readonly waiters: number;
    /** Label of the holder. */
    readonly holder?: string;
  };
  /** `sequence`: how many writes the register has accepted, this one included. */
  readonly fencedWrite: { readonly sequence: number };
  readonly unfencedAdd: Readonly<Record<never, never>>;
}

export type Operation = keyof Arguments;

/** The operations that acquire a lock. */
export type Acquiring = 'tryLock' | 'lock' | 'timedTryLock';

/** Why an operation failed: it changed nothing. */
export interface Failure {
  /** Of the SDK's error, such as `lease-lost`, `interrupted`; `refused`: the register has seen a higher fencing token. */
  readonly code: string;
  /** With `lease-lost`. */
  readonly reason?: LostReason;
}
