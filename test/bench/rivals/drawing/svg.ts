import { bars } from './bars.ts';
import type { Chart } from './chart.ts';
import { lines } from './lines.ts';

/** Draws a chart as the text of an SVG file. Lines over a single number would be none: they are drawn as bars. */
export function svgOf(chart: Chart): string {
  if (chart.kind === 'bars') return bars(chart);
  const [only, ...others] = new Set(chart.series.flatMap(({ points }) => points.map(({ x }) => x)));
  return only !== undefined && others.length === 0 ? bars(barsAt(only, chart)) : lines(chart);
}

function barsAt(only: string | number, { title, xLabel, series, ...rest }: Chart): Chart {
  return {
    ...rest,
    kind: 'bars',
    title: `${title}, ${only} ${xLabel ?? ''}`.trimEnd(),
    series: [
      { name: title, points: series.flatMap(({ name, points }) => points.map((each) => ({ ...each, x: name }))) },
    ],
  };
}
