import { tableOf } from '../support/markdown-table.ts';

/** One line of the report. */
export interface Figure {
  readonly figure: string;
  /** Nothing: it has no target, and is there to read the others by. */
  readonly target?: string;
  readonly measured: string;
  /** Whether the target was met; nothing without one, or where it was not measured. */
  readonly met?: boolean;
}

export function markdownTable(figures: readonly Figure[]): string {
  const verdict = ({ target, met }: Figure) =>
    target === undefined || met === undefined ? '' : met ? 'met' : 'missed';
  // Where none has a target there is nothing to say of it.
  const withTargets = figures.some(({ target }) => target !== undefined);
  const rows = withTargets
    ? [
        ['figure', 'target', 'measured', ''],
        ...figures.map((each) => [each.figure, each.target ?? '', each.measured, verdict(each)]),
      ]
    : [['figure', 'measured'], ...figures.map(({ figure, measured }) => [figure, measured])];
  return tableOf(rows);
}

/** The one in the middle, or between the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = inOrder(values);
  const [below, above] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}

/** The value at the far end of some, and what it is called. */
export interface Tail {
  readonly name: string;
  readonly value: number;
}

/**
 * The percentile of so many percent, by nearest rank, where there are enough values for it to be another than the longest
 * one: 100 of them for p99, 20 for p95. Otherwise the longest, by that name; NaN of nothing.
 */
export function tailOf(values: readonly number[], percent: number): Tail {
  const sorted = inOrder(values);
  const rank = Math.ceil((percent * sorted.length) / 100);
  return rank < sorted.length
    ? { name: `p${percent}`, value: sorted[rank - 1] ?? Number.NaN }
    : { name: 'longest', value: sorted.at(-1) ?? Number.NaN };
}

function inOrder(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function ms(value: number): string {
  return `${value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)} ms`;
}
