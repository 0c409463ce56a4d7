import type { Exchange, Fault, HistoryEvent, Invoke, Item, Lost, Mark, ProcessEnd, Run } from './history.ts';
import { type History, indexedHistory } from './indexed-history.ts';
import type { Acquiring, Failure, Operation, Results } from './operations.ts';
import { inOrder } from './read-history.ts';

// The events of histories that are written by hand. Times are milliseconds since the run began.

/** The bounds of such histories. */
export const bounds = {
  seed: 1,
  leaseMs: 2_000,
  claimWindowMs: 3_000,
  clockSkewMs: 500,
  toleranceMs: 100,
  joinWithinMs: 200,
  recoverWithinMs: 1_000,
  finishWithinMs: 10_000,
} as const;

/** One event or several, in any order of time. */
export type Told = HistoryEvent | readonly HistoryEvent[];

/** A history of these events. */
export function historyOf(...parts: readonly Told[]): History {
  const run: Run = { type: 'run', atMs: 0, process: 'run', ...bounds };
  return indexedHistory(inOrder([run, ...parts.flat()]));
}

interface Where {
  readonly process?: string;
  readonly lockId?: string;
}

/** An operation that begins. */
export function invoke<O extends Operation>(
  op: string,
  operation: O,
  atMs: number,
  args: Extract<Invoke, { operation: O }>['arguments'],
  { process = processOf(op), lockId = 'a' }: Where = {},
): HistoryEvent {
  return { type: 'invoke', op, operation, atMs, process, flow: 'f', lockId, arguments: args } as HistoryEvent;
}

/** Its success. */
export function ok<O extends Operation>(op: string, operation: O, atMs: number, result: Results[O]): HistoryEvent {
  return { type: 'ok', op, operation, atMs, process: processOf(op), result } as HistoryEvent;
}

export function fail(op: string, atMs: number, failure: Failure): HistoryEvent {
  return { type: 'fail', op, atMs, process: processOf(op), ...failure };
}

export function unknown(op: string, atMs: number, code = 'lock-service'): HistoryEvent {
  return { type: 'unknown', op, atMs, process: processOf(op), code };
}

export interface GrantOptions extends Where {
  readonly operation?: Acquiring;
  /** What is left of the lease when it is granted; its length, unless it is given. */
  readonly remainingMs?: number;
  readonly waitingMs?: number;
  readonly isRenewedByHand?: boolean;
}

/** An acquisition from its call to its grant. Its id names its process: `w1.3` is of process `w1`. */
export function grant(
  op: string,
  [askedMs, grantedMs]: readonly [number, number],
  fencingToken: number,
  options: GrantOptions = {},
): HistoryEvent[] {
  const { operation = 'lock', remainingMs = bounds.leaseMs, waitingMs, isRenewedByHand = false, ...where } = options;
  const args = {
    leaseMs: bounds.leaseMs,
    isRenewedByHand,
    ...(operation === 'timedTryLock' ? { waitMs: 10_000 } : {}),
  };
  return [
    invoke(op, operation, askedMs, args as { leaseMs: number; waitMs: number }, where),
    ...(waitingMs === undefined ? [] : [waiting(op, waitingMs)]),
    ok(op, operation, grantedMs, { granted: true, fencingToken, remainingMs, lookedAtMs: grantedMs }),
  ];
}

export function waiting(op: string, atMs: number): HistoryEvent {
  return { type: 'waiting', op, atMs, process: processOf(op) };
}

/** A release that succeeds, or fails. */
export function release(hold: string, [fromMs, toMs]: readonly [number, number], failure?: Failure): HistoryEvent[] {
  const op = `${hold}-release`;
  const end = failure ? fail(op, toMs, failure) : ok(op, 'release', toMs, {});
  return [invoke(op, 'release', fromMs, { hold }), end];
}

export function renewed(hold: string, atMs: number, remainingMs: number = bounds.leaseMs): HistoryEvent {
  return { type: 'renewed', hold, atMs, process: processOf(hold), remainingMs, lookedAtMs: atMs };
}

export function lost(hold: string, atMs: number, reason: Lost['reason'] = 'expired'): HistoryEvent {
  return { type: 'lost', hold, atMs, process: processOf(hold), reason };
}

export function look(hold: string, atMs: number, isHeld: boolean, remainingMs = 0): HistoryEvent {
  return { type: 'look', hold, atMs, process: processOf(hold), isHeld, remainingMs, lookedAtMs: atMs };
}

/** A fault from one moment to another; never over: without the second. */
export function fault(
  kind: Fault['kind'],
  target: string,
  [fromMs, toMs]: readonly [number, number?],
  hits: Fault['hits'] = [target],
): HistoryEvent[] {
  const id = `${kind} ${target} ${fromMs}`;
  const end: HistoryEvent[] = toMs === undefined ? [] : [{ type: 'faultEnd', process: 'run', atMs: toMs, fault: id }];
  return [{ type: 'fault', process: 'run', atMs: fromMs, fault: id, kind, target, hits }, ...end];
}

export function mark(which: Mark['mark'], atMs: number): HistoryEvent {
  return { type: 'mark', process: 'run', mark: which, atMs };
}

export function processStart(
  process: string,
  role: 'service' | 'worker' | 'embedded' = 'worker',
  clockOffsetMs = 0,
): HistoryEvent {
  return { type: 'process', process, atMs: 0, role, pid: 1, clockOffsetMs };
}

export function gone(process: string, atMs: number, how: ProcessEnd['how'] = 'killed'): HistoryEvent {
  return { type: 'processEnd', process: 'run', gone: process, atMs, how };
}

/** A look at what is stored; it takes 1 ms, unless it is told when it began. */
export function item(
  atMs: number,
  stored: Partial<NonNullable<Item['item']>> | null,
  { lockId = 'a', sentMs = atMs - 1 }: { readonly lockId?: string; readonly sentMs?: number } = {},
): Item {
  const rest = { fence: 1, rev: 1, isProvisional: false, queue: [], tickets: {} };
  return { type: 'item', process: 'run', atMs, sentMs, lockId, item: stored && { ...rest, ...stored } };
}

/** A request of an owner and its reply; it takes 1 ms. */
export function exchange(
  owner: string,
  atMs: number,
  reply: Exchange['reply'],
  more: Partial<Exchange> = {},
): Exchange {
  return {
    type: 'exchange',
    process: 'run',
    exchange: `${owner} ${atMs}`,
    operation: 'try',
    lockId: 'a',
    owner,
    sentMs: atMs - 1,
    atMs,
    isDelivered: true,
    reply,
    ...more,
  };
}

function processOf(op: string): string {
  return op.split('.')[0] ?? op;
}
