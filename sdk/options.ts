import { IllegalArgumentError } from './errors.ts';
import type { Renewal } from './lease-timers.ts';
import { isLabel } from './wire/label.ts';
import { limits } from './wire/limits.ts';
import { lockIdFault } from './wire/lock-id.ts';

/**
 * How a lock is taken and held. Every field has the handle's own, then the factory's, as its default.
 *
 * @example const lock = locks.createLock('nightly-report', { leaseMs: 10_000, holder: 'report job', maxHoldMs: 3_600_000 });
 */
export interface HoldOptions {
  /** Length of the lease, whole milliseconds, 1,000 to what the deployment allows (1 h unless set). Default 30,000. */
  readonly leaseMs?: number | undefined;
  /**
   * Label for people who look at the lock: 1 to 256 UTF-8 bytes without control or bidirectional formatting characters.
   * Default: host name and process id, where there are any.
   */
  readonly holder?: string | undefined;
  /** The lease is lost after this many milliseconds, above 0, however often it is renewed. Default: none. */
  readonly maxHoldMs?: number | undefined;
  /**
   * `automatic`: the lease renews itself, and its signal aborts at the deadline. `manual`: no timer runs; `renew()` is
   * the caller's business, and whoever looks at the lease finds that it is over: for processes that are frozen between
   * calls. Default: `automatic`.
   */
  readonly renewal?: Renewal | undefined;
}

/**
 * How a lock is waited for.
 *
 * @example
 * await using lease = await lock.acquire({ waitMs: 5_000, signal: AbortSignal.timeout(3_000) });
 * lease.assertHeld();
 */
export interface AcquireOptions extends HoldOptions {
  /** How long to wait for it, milliseconds, 0 or more, finite; 0 is one attempt. Default: as long as it takes. */
  readonly waitMs?: number | undefined;
  /** Aborts the wait with an InterruptedError. It does not end the hold. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws IllegalArgumentError unless the text is a lock id: well-formed, 1 to 512 UTF-8 bytes */
export function checkLockId(lockId: unknown): asserts lockId is string {
  const fault = lockIdFault(lockId);
  if (fault) throw new IllegalArgumentError(`lock id ${fault}`);
}

/** @throws IllegalArgumentError with the rule, and what was got, unless the value is an object of options */
export function checkObject(value: unknown, rule: string): void {
  if (Object.prototype.toString.call(value) === '[object Object]') return;
  throw new IllegalArgumentError(`${rule}, got ${shown(value)}`);
}

/** Whether a value is an AbortSignal, of this realm or another. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener, removeEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return (
    typeof aborted === 'boolean' && [addEventListener, removeEventListener].every((each) => typeof each === 'function')
  );
}

/** How a lock is held. */
export const holdRules: Record<keyof HoldOptions, OptionRule> = {
  leaseMs: {
    allowed: `a whole number of milliseconds from ${limits.leaseMs.min} to ${limits.maxLeaseMs.ceiling}`,
    isValid: (value) =>
      Number.isInteger(value) &&
      (value as number) >= limits.leaseMs.min &&
      (value as number) <= limits.maxLeaseMs.ceiling,
  },
  holder: {
    allowed: `text of 1 to ${limits.holderBytes} UTF-8 bytes without control or bidirectional formatting characters`,
    isValid: (value) => typeof value === 'string' && value !== '' && isLabel(value, limits.holderBytes),
  },
  maxHoldMs: {
    allowed: 'a positive, finite number of milliseconds',
    isValid: (value) => Number.isFinite(value) && (value as number) > 0,
  },
  renewal: {
    allowed: "'automatic' or 'manual'",
    isValid: (value) => value === 'automatic' || value === 'manual',
  },
};

/** How a lock is waited for, and held. */
export const acquireRules: Record<keyof AcquireOptions, OptionRule> = {
  ...holdRules,
  waitMs: {
    allowed: 'a finite number of milliseconds, 0 or more',
    isValid: (value) => Number.isFinite(value) && (value as number) >= 0,
  },
  signal: { allowed: 'an AbortSignal', isValid: isAbortSignal },
};

/** What one option allows. */
export interface OptionRule {
  readonly allowed: string;
  readonly isValid: (value: unknown) => boolean;
}

/**
 * Checks options that a caller gave; a name without a rule is a fault too, because a misspelt `leaseMs` would otherwise
 * be ignored in silence.
 *
 * @throws IllegalArgumentError naming the option, what is allowed and what was got
 */
export function checkOptions(options: unknown, rules: Readonly<Record<string, OptionRule>>): void {
  checkObject(options, 'options must be a plain object');
  for (const [name, value] of Object.entries(options as object)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) {
      throw new IllegalArgumentError(
        `${shortened(name)} is not an option here; known: ${Object.keys(rules).join(', ')}`,
      );
    }
    if (value !== undefined && !rule.isValid(value)) {
      throw new IllegalArgumentError(`${name} must be ${rule.allowed}, got ${shown(value)}`);
    }
  }
}

/** A value for the text of an error, whatever it is: its type is seen, and it is cut off where it is long. */
export function shown(value: unknown): string {
  try {
    if (typeof value === 'bigint') return shortened(`${value}n (bigint)`);
    return Array.isArray(value)
      ? 'an array'
      : shortened(typeof value === 'string' ? JSON.stringify(value) : String(value));
  } catch {
    return `a ${typeof value} that has no text`;
  }
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Options with defaults behind them. A field that is there but undefined leaves the default. */
export function withDefaults<T extends object>(options: T, defaults: T): T {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(given) as T) };
}
