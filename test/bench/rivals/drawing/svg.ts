import { bars } from './bars.ts';
import type { Chart } from './chart.ts';
import { lines } from './lines.ts';

/** Draws a chart as the text of an SVG file. */
export function svgOf(chart: Chart): string {
  return chart.kind === 'bars' ? bars(chart) : lines(chart);
}
