import type { LostReason } from '../../sdk/errors.ts';
import type { Acquiring, Arguments, Failure, Operation, Remaining, Results } from './operations.ts';

/**
 * One line of a history. A history is JSON lines; the first is the `run`, the others come in any order of processes, but
 * those of one process in the order in which it wrote them.
 */
export type HistoryEvent =
  | Run
  | ProcessStart
  | ProcessEnd
  | Clock
  | Invoke
  | Ok
  | Fail
  | Unknown
  | Waiting
  | Renewed
  | Lost
  | Look
  | Stall
  | Fault
  | FaultEnd
  | Mark
  | Item
  | Register
  | Counter
  | Exchange
  | Leftovers;

/** What every line tells. All times end in `Ms` and are milliseconds of the host's monotonic clock (`hostMs()`). */
interface Told {
  /**
   * When its process saw it. An `invoke` is dated before the call, everything else after what it tells of. A process
   * that was frozen in between dates by what it saw: late, never early.
   */
  readonly atMs: number;
  /** Who saw it: one incarnation of a process, such as `w3.2` for worker 3 after one restart. Unique in a run. */
  readonly process: string;
}

/** The first line: what was run, and the bounds that the checkers hold it to. Durations in milliseconds. */
export interface Run extends Told {
  readonly type: 'run';
  readonly seed: number;
  readonly leaseMs: number;
  readonly claimWindowMs: number;
  /** The clock margin that the services run with. */
  readonly clockSkewMs: number;
  /** How late a timer or a turn of the event loop may come in a process that is not frozen. */
  readonly toleranceMs: number;
  /** A waiter that was told to wait stands in line after this long, unless it is hit by a fault. */
  readonly joinWithinMs: number;
  /** Whoever was hit by a fault answers as usual this long after its end (back-off, new connections). */
  readonly recoverWithinMs: number;
  /** From `healed`, or from its `invoke` when that is later, every operation ends within this time. */
  readonly finishWithinMs: number;
}

/** A process began. `service`: it serves the locks; `worker`: it uses them over HTTP; `embedded`: it does both. */
export interface ProcessStart extends Told {
  readonly type: 'process';
  readonly role: 'service' | 'worker' | 'embedded';
  readonly pid: number;
  /** How far its wall clock is ahead of the host's, milliseconds. */
  readonly clockOffsetMs: number;
}

/** A process is gone; told by whoever saw that. What it had begun and not ended is unknown for ever. */
export interface ProcessEnd extends Told {
  readonly type: 'processEnd';
  /** The one that is gone. */
  readonly gone: string;
  /** `hung`: it did not exit by itself when all was over, and was killed. */
  readonly how: 'exited' | 'killed' | 'hung';
}

/** The wall clock of a process was set: so far ahead of the host's from now on. */
export interface Clock extends Told {
  readonly type: 'clock';
  readonly of: string;
  readonly clockOffsetMs: number;
}

/** What every line of an operation tells. */
interface OfOperation extends Told {
  /** Its id, unique in the run. One without `ok`, `fail` or `unknown` may have happened at any time after, or never. */
  readonly op: string;
}

/** An operation begins. A flow does one at a time. */
export type Invoke = {
  readonly [O in Operation]: OfOperation & {
    readonly type: 'invoke';
    readonly operation: O;
    readonly lockId: string;
    /** The flow of its process: one handle of the lock. */
    readonly flow: string;
    readonly arguments: Arguments[O];
  };
}[Operation];

/** An operation succeeded. */
export type Ok = {
  readonly [O in Operation]: OfOperation & { readonly type: 'ok'; readonly operation: O; readonly result: Results[O] };
}[Operation];

/** An operation failed, and changed nothing. (What an acquisition was granted in passing has been given back.) */
export interface Fail extends OfOperation, Failure {
  readonly type: 'fail';
}

/**
 * An operation ended, and may have happened or not: no answer came, or one that leaves it open (`outcomeUnknown` of the
 * SDK's error, `perhapsBroken` of a break).
 */
export interface Unknown extends OfOperation {
  readonly type: 'unknown';
  /** Of the SDK's error. */
  readonly code: string;
}

/** The SDK told an acquiring operation that it waits (event `waiting`). */
export interface Waiting extends OfOperation {
  readonly type: 'waiting';
}

/** What is told of a hold. */
interface OfHold extends Told {
  /** The id of the operation that acquired it. */
  readonly hold: string;
}

/** The SDK renewed a lease by itself (event `renewed`). */
export interface Renewed extends OfHold, Remaining {
  readonly type: 'renewed';
}

/** The lost signal of a hold. `atMs`: when its listener ran. */
export interface Lost extends OfHold {
  readonly type: 'lost';
  readonly reason: LostReason;
}

/** Somebody looked at a hold (`isHeld`). */
export interface Look extends OfHold, Remaining {
  readonly type: 'look';
  readonly isHeld: boolean;
}

/** A process found that it did not run for a while, for no fault of the run: a busy machine. Counts as a fault. */
export interface Stall extends Told {
  readonly type: 'stall';
  readonly fromMs: number;
}

/** A fault begins; dated before anything is done. Without a `faultEnd` it lasts for ever. */
export interface Fault extends Told {
  readonly type: 'fault';
  /** Its id, unique in the run. */
  readonly fault: string;
  /** `kill` and others that take no time have their `faultEnd` at the same time. `break` of a lock is none. */
  readonly kind:
    | 'kill'
    | 'freeze'
    | 'partition'
    | 'delay'
    | 'lost-replies'
    | 'duplicates'
    | 'resets'
    | 'errors'
    | 'throttling'
    | 'restart'
    | 'clock'
    | 'stale-reads'
    | 'deletion';
  /** What it strikes: the process, for `freeze`, `kill`, `restart` and `clock`; the lock id, for `deletion`; else a connection, for people to read. */
  readonly target: string;
  /** The processes that may be late or in error because of it: the workers that use a frozen service, too. */
  readonly hits: 'all' | readonly string[];
}

/** A fault is over; dated after everything is undone. */
export interface FaultEnd extends Told {
  readonly type: 'faultEnd';
  readonly fault: string;
}

/**
 * `healed`: no fault lasts any more, and no other begins. `end`: every operation has ended that will, and each lock was
 * taken and given back once by somebody new (nobody else clears the row of a holder that was killed); what comes after is
 * a look at what is left.
 */
export interface Mark extends Told {
  readonly type: 'mark';
  readonly mark: 'healed' | 'end';
}

/** A strongly consistent look at what is stored of a lock, from `sentMs` to `atMs`. Tokens are shown as `ownerHash` makes them. */
export interface Item extends Told {
  readonly type: 'item';
  readonly lockId: string;
  readonly sentMs: number;
  /** null: nothing is stored. `untilMs`, `tickets`: epoch milliseconds of a service's clock. */
  readonly item: {
    readonly fence: number;
    readonly rev: number;
    readonly owner?: string;
    readonly untilMs?: number;
    readonly isProvisional: boolean;
    readonly last?: string;
    readonly broken?: string;
    readonly queue: readonly string[];
    readonly tickets: Readonly<Record<string, number>>;
  } | null;
}

/** What a lock's register holds after `end`. */
export interface Register extends Told {
  readonly type: 'register';
  readonly lockId: string;
  /** The highest that it has seen; 0: none. */
  readonly fencingToken: number;
  /** Of the last write that it accepted; nothing: none. */
  readonly value?: string;
  /** How many writes it has accepted. */
  readonly sequence: number;
}

/** What a lock's unfenced counter shows after `end`. */
export interface Counter extends Told {
  readonly type: 'counter';
  readonly lockId: string;
  readonly value: number;
}

/** One request to the lock service and its reply, as the proxy before the service saw them. */
export interface Exchange extends Told {
  readonly type: 'exchange';
  /** Its id, unique in the run. */
  readonly exchange: string;
  /** The exchange whose request the proxy sent once more. */
  readonly copyOf?: string;
  readonly operation: 'try' | 'acquire' | 'renew' | 'release';
  readonly lockId: string;
  /** Of the owner token, as `ownerHash` makes it; never the token. */
  readonly owner: string;
  /** The same of the heir that a release named. */
  readonly heir?: string;
  /** When the request was passed on to the service; `atMs`: when its reply came. */
  readonly sentMs: number;
  /** Whether the reply was passed on to the client. */
  readonly isDelivered: boolean;
  readonly reply: Reply;
}

/** What the service answered. `spent`: `token-spent` or `place-lost`; `failed`: anything that says nothing of the lock. */
export type Reply =
  | { readonly kind: 'granted'; readonly fencingToken: number; readonly isProvisional: boolean }
  | { readonly kind: 'released' /** Of the heir's grant. */; readonly heirFencingToken?: number }
  | { readonly kind: 'held' | 'waiting' | 'spent' }
  | { readonly kind: 'lost'; readonly reason: LostReason }
  | { readonly kind: 'failed'; readonly status: number };

/** What a worker still had after `end`, its factory disposed and the bounds of clean-ups over. */
export interface Leftovers extends Told {
  readonly type: 'leftovers';
  readonly timers: number;
  /** Connections that carry a request; those that are kept for the next one do not count. */
  readonly busySockets: number;
}

/** Whether an operation acquires a lock. */
export function isAcquiring(operation: Operation): operation is Acquiring {
  return operation === 'tryLock' || operation === 'lock' || operation === 'timedTryLock';
}
