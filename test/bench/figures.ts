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

/** The value below which this part of them lies, by nearest rank; NaN of nothing. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function ms(value: number): string {
  return `${value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)} ms`;
}
