import type { EventListener } from './events.ts';
import type { TraceparentSource } from './http/traceparent.ts';
import { checkOptions, type HoldOptions, holdRules, type OptionRule } from './options.ts';
import { checkPrefix } from './prefix.ts';

/**
 * What every kind of factory takes besides where its locks are.
 *
 * @example
 * LockFactory.connect({
 *   url,
 *   prefix: 'billing/',
 *   onEvent: (event) => { if (event.type === 'lost') alarm(`${event.lockId}: ${event.reason}`); },
 * });
 */
export interface CommonOptions extends HoldOptions {
  /**
   * Put before every lock id, and taken off again: applications with different prefixes share no lock. End it with a
   * separator, such as `billing/`: with the prefixes `a` and `ab` the ids `bc` and `c` would be one lock. Well-formed text
   * of at most 511 UTF-8 bytes, which count towards the 512 of an id. Default: '', none.
   */
  readonly prefix?: string | undefined;
  /** Give up, also in `lock()`, after this many milliseconds without any answer: above 0, finite. Default 30,000. */
  readonly unreachableAfterMs?: number | undefined;
  /**
   * Told of what happens to the locks: who waits, acquired, renewals, losses, releases. It is called at once, and must be
   * quick; what it throws is a process warning. Default: none.
   */
  readonly onEvent?: EventListener | undefined;
  /**
   * Gives the W3C `traceparent` of what is going on, or nothing. It goes with each request over HTTP, and the functions
   * put it into what they log; the other backends have no use for it. The entry `holdfast/opentelemetry` has one.
   */
  readonly traceparent?: TraceparentSource | undefined;
}

const functionRule: OptionRule = { allowed: 'a function', isValid: (value) => typeof value === 'function' };
const commonRules = {
  ...holdRules,
  unreachableAfterMs: holdRules.maxHoldMs,
  onEvent: functionRule,
  traceparent: functionRule,
};

/** @throws IllegalArgumentError naming the option, what is allowed and what was got */
export function checkCommonOptions({ prefix, ...options }: CommonOptions): void {
  checkOptions(options, commonRules);
  if (prefix !== undefined) checkPrefix(prefix);
}
