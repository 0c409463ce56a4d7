/** One point of a series. */
export interface Point {
  /** A name on an axis of names (bars), or a number on one of numbers (lines). */
  readonly x: string | number;
  readonly y: number;
  /** The spread, where there is one. */
  readonly low?: number;
  readonly high?: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

/** What an SVG is drawn from. */
export interface Chart {
  /** Of the file, without ending. */
  readonly file: string;
  readonly title: string;
  /** Bars of one series, each with its name; or lines, one for each series, over numbers. */
  readonly kind: 'bars' | 'lines';
  readonly xLabel?: string;
  /** What is measured, with its unit. */
  readonly yLabel: string;
  /** Whether an axis goes by powers of ten; otherwise it begins at 0. */
  readonly logarithmic?: boolean;
  readonly series: readonly Series[];
}
