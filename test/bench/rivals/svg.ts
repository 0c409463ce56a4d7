import type { Chart } from './chart.ts';

/** Draws a chart. */
export function svgOf(chart: Chart): string {
  return `<svg xmlns="http://www.w3.org/2000/svg"><title>${chart.title}</title></svg>\n`;
}
