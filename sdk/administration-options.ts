import type { BreakRequest, ListRequest } from './backend.ts';
import { IllegalArgumentError } from './errors.ts';
import { checkOptions, type OptionRule } from './options.ts';
import { isLabel } from './wire/label.ts';
import { limits } from './wire/limits.ts';
import { lockIdFault } from './wire/lock-id.ts';

/**
 * Which locks a listing shows, and how it goes through them.
 *
 * @example for await (const { lockId, state } of locks.list({ prefix: 'orders-', state: 'all' })) console.log(lockId, state);
 */
export interface ListOptions {
  /** Only locks whose id begins with this well-formed text, at most 512 UTF-8 bytes. Default: '', all. */
  readonly prefix?: string;
  /**
   * Only locks in this state. `held` includes provisional holds; `over`: a lease ended without a release. Default: `held`.
   */
  readonly state?: 'held' | 'over' | 'free' | 'all';
  /**
   * How many locks one request looks at, whatever their id and state: 1 to 1,000. It bounds the pages, not the listing.
   * Default 100.
   */
  readonly limit?: number;
}

/**
 * Which hold is broken, and why.
 *
 * @example
 * const { fencingToken } = await locks.inspect('orders-42');
 * if (fencingToken) await locks.break('orders-42', { fencingToken, note: 'its host is gone' });
 */
export interface BreakOptions {
  /** The fencing token that a look at the lock showed: that hold is broken and no other. A whole number, 1 or more. */
  readonly fencingToken: number;
  /** Why, for the log of the service: 1 to 256 UTF-8 bytes without control or bidirectional formatting characters. */
  readonly note?: string;
}

const states: readonly unknown[] = ['held', 'over', 'free', 'all'] satisfies ListRequest['state'][];

const listRules: Record<keyof ListOptions, OptionRule> = {
  prefix: { allowed: 'well-formed text', isValid: (value) => typeof value === 'string' && value.isWellFormed() },
  state: { allowed: `one of ${states.join(', ')}`, isValid: (value) => states.includes(value) },
  limit: {
    allowed: `a whole number from 1 to ${limits.list.limit.max}`,
    isValid: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= limits.list.limit.max,
  },
};

const breakRules: Record<keyof BreakOptions, OptionRule> = {
  fencingToken: {
    allowed: 'a whole number, 1 or more, as a look at the lock showed it',
    isValid: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  },
  note: {
    allowed: `text of 1 to ${limits.noteBytes} UTF-8 bytes without control or bidirectional formatting characters`,
    isValid: (value) => typeof value === 'string' && value !== '' && isLabel(value, limits.noteBytes),
  },
};

/**
 * The first page of a listing.
 *
 * @param factoryPrefix what the factory puts before `prefix`
 * @throws IllegalArgumentError naming the option, what is allowed and what was got
 */
export function listRequestOf(options: ListOptions, factoryPrefix: string): ListRequest {
  checkOptions(options, listRules);
  const { prefix = '', state = 'held', limit = limits.list.limit.default } = options;
  // What no id can begin with finds nothing.
  const fault = prefix === '' ? undefined : lockIdFault(factoryPrefix + prefix);
  if (fault) throw new IllegalArgumentError(`prefix, the factory's own counted, ${fault}`);
  return { prefix, state, limit, cursor: undefined };
}

/** @throws IllegalArgumentError naming the option, what is allowed and what was got */
export function breakRequestOf(lockId: string, options: BreakOptions): BreakRequest {
  checkOptions(options, breakRules);
  const { fencingToken, note } = options;
  if (fencingToken === undefined) {
    throw new IllegalArgumentError(`break needs a fencingToken, ${breakRules.fencingToken.allowed}`);
  }
  return { lockId, fencingToken, note };
}
