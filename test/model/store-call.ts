import type { LockItem } from '../../lambda/service/lock-item.ts';
import type { Identity, LockStore, WriteResult } from '../../lambda/service/lock-store.ts';
import { MemoryLockStore } from '../../lambda/store/memory-lock-store.ts';
import { inTicks } from './ticks.ts';

export type Operation = Exclude<keyof LockStore, 'list'>;

/** Every argument of every operation: what one call has of them. */
export interface Argument {
  readonly lockId: string;
  readonly me?: string;
  readonly victim?: string;
  readonly heir?: string;
  readonly now?: number;
  readonly cut?: number;
  readonly until?: number;
  readonly over?: number;
  readonly ticketEnd?: number;
  /** Seconds. */
  readonly ttl?: number;
  readonly rev?: number;
  readonly fence?: number;
  readonly place?: number;
  readonly before?: readonly string[];
  readonly skipped?: readonly string[];
  readonly next?: { readonly owner: string; readonly now: number; readonly until: number; readonly before: string[] };
  readonly identity?: Identity;
  readonly consistent?: boolean;
}

/** One call of the store, times as the true clock of the state has them. */
export interface StoreCall {
  readonly operation: Operation;
  readonly argument: Argument;
}

/** What a store does with a call, and what it answers. */
export type Apply = (call: StoreCall, item: LockItem | undefined) => WriteResult;

export const lockId = 'a';

/** The memory store's own doing. Its methods have done everything by the time they return their promise. */
export const memoryStore: Apply = ({ operation, argument }, item) => {
  const items = new Map(item ? [[lockId, item]] : []);
  const store = new MemoryLockStore(items) as unknown as Record<string, (argument: Argument) => Promise<unknown>>;
  void store[operation]?.(argument);
  const after = items.get(lockId);
  return after && after !== item ? { written: true, item: after } : { written: false, item };
};

/** The same call when `ms` have passed, or had not. */
export function shiftCall(call: StoreCall, ms: number): StoreCall {
  const { argument } = call;
  const shifted: Record<string, unknown> = { ...argument };
  for (const name of ['now', 'cut', 'until', 'over', 'ticketEnd'] as const) {
    if (argument[name] !== undefined) shifted[name] = argument[name] + ms;
  }
  if (argument.ttl !== undefined) shifted['ttl'] = argument.ttl + ms / 1_000;
  const { next } = argument;
  if (next) shifted['next'] = { ...next, now: next.now + ms, until: next.until + ms };
  return { operation: call.operation, argument: shifted as unknown as Argument };
}

/** The earliest time that the call compares an item's times with. */
export function earliestOf({ argument }: StoreCall): number {
  const { cut, until, over, ticketEnd, next } = argument;
  return Math.min(...[cut, until, over, ticketEnd, next?.until].map((time) => time ?? Number.POSITIVE_INFINITY));
}

/** All that tells this call from others. `now` only starts `since` and the first fence, which nothing compares. */
export function keyOfCall({ operation, argument }: StoreCall): string {
  const { me = argument.victim, cut, until, over, ticketEnd, rev, fence, place, before, skipped, next } = argument;
  const times = [cut, until, over, ticketEnd, next?.until].map((time) => (time === undefined ? '' : inTicks(time)));
  const line = `${before?.join('') ?? ''}/${skipped?.join('') ?? ''}`;
  const successor = next ? `${next.before.join('')}>${next.owner}` : '';
  const rest = `${rev ?? ''}.${fence ?? ''}.${place ?? ''}.${argument.heir ?? ''}`;
  const whole = argument.identity ? 'w' : '';
  const strong = argument.consistent ? 's' : '';
  return `${operation}${me ?? ''}${whole}${strong}${times.join()};${line};${successor};${rest}`;
}
