import { IllegalArgumentError } from './errors.ts';
import type { EventListener } from './events.ts';
import { checkOptions, type HoldOptions, holdRules, shown } from './options.ts';
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
  readonly prefix?: string;
  /** Give up, also in `lock()`, after this many milliseconds without any answer: above 0, finite. Default 30,000. */
  readonly unreachableAfterMs?: number;
  /**
   * Told of what happens to the locks: who waits, acquired, renewals, losses, releases. It is called at once, and must be
   * quick; what it throws is a process warning. Default: none.
   */
  readonly onEvent?: EventListener;
}

/** @throws IllegalArgumentError naming the option, what is allowed and what was got */
export function checkCommonOptions(options: CommonOptions): void {
  const { prefix, unreachableAfterMs, onEvent, ...hold } = options;
  checkOptions(hold, holdRules);
  if (prefix !== undefined) checkPrefix(prefix);
  if (unreachableAfterMs !== undefined && !(Number.isFinite(unreachableAfterMs) && unreachableAfterMs > 0)) {
    throw new IllegalArgumentError(
      `unreachableAfterMs must be a positive, finite number of milliseconds, got ${shown(unreachableAfterMs)}`,
    );
  }
  if (onEvent !== undefined && typeof onEvent !== 'function') {
    throw new IllegalArgumentError(`onEvent must be a function, got ${shown(onEvent)}`);
  }
}
