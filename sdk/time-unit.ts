import { IllegalArgumentError } from './errors.ts';
import { shown } from './options.ts';

const millisecondsPer = {
  nanoseconds: 1e-6,
  microseconds: 1e-3,
  milliseconds: 1,
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
} as const;

/** The units of `java.util.concurrent.TimeUnit`. */
export type TimeUnit = keyof typeof millisecondsPer;

/**
 * Milliseconds of a time in a unit. Negative times count as none.
 *
 * @throws IllegalArgumentError for a unit that does not exist, NaN, an infinite time, or what is not a number
 */
export function toMilliseconds(time: number, unit: TimeUnit): number {
  if (typeof time !== 'number' || !Number.isFinite(time)) {
    throw new IllegalArgumentError(`time must be a finite number, got ${shown(time)}`);
  }
  if (typeof unit !== 'string' || !Object.hasOwn(millisecondsPer, unit)) {
    const known = Object.keys(millisecondsPer).join(', ');
    throw new IllegalArgumentError(`unit must be one of ${known}, got ${shown(unit)}`);
  }
  return Math.max(0, time * millisecondsPer[unit]);
}
