import { median } from '../figures.ts';

/** What several repetitions gave: the one in the middle, and how far apart they were. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** @throws RangeError of nothing */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('a spread must be of at least one repetition, got none');
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** One measure as a multiple of another, from the repetitions of both: each by the other of the same repetition. */
export function ratioOf(values: readonly number[], others: readonly number[]): Spread {
  return spreadOf(values.map((value, repetition) => value / (others[repetition] ?? Number.NaN)));
}

/** How a multiple is written. */
export function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}

/** For tables, in whatever way one number is written. */
export function shownSpread({ median: middle, low, high }: Spread, shown: (value: number) => string): string {
  return low === high ? shown(middle) : `${shown(middle)} (${shown(low)} to ${shown(high)})`;
}
