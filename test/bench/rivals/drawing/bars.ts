import { axisOf, label } from './axis.ts';
import type { Chart } from './chart.ts';
import { element, line, picture, rounded, text } from './elements.ts';

const [width, left, right, top, row] = [900, 330, 70, 48, 26];

/** One bar for each point, its name before it and its value behind it, with a whisker where there is a spread. */
export function bars({ title, yLabel, logarithmic = false, series }: Chart): string {
  const points = series.flatMap((each) => each.points);
  const bottom = top + points.length * row;
  const values = points.flatMap(({ y, low = y, high = y }) => [y, low, high]);
  const axis = axisOf(values, left, width - right, { logarithmic });
  const ticks = axis.ticks.flatMap((tick) => [
    line(axis.place(tick), top, axis.place(tick), bottom, '#ddd'),
    text(axis.place(tick), bottom + 16, label(tick), { 'text-anchor': 'middle' }),
  ]);
  const drawn = points.flatMap(({ x, y, low = y, high = y }, at) => {
    const middle = top + at * row + row / 2;
    const mine = String(x).startsWith('Holdfast') ? '#1b6ca8' : '#a9b8c4';
    return [
      text(left - 8, middle + 4, String(x), { 'text-anchor': 'end' }),
      element('rect', {
        x: left,
        y: rounded(middle - row * 0.35),
        width: rounded(axis.place(y) - left),
        height: rounded(row * 0.7),
        fill: mine,
      }),
      ...(low < high ? [line(axis.place(low), middle, axis.place(high), middle, '#222', 2)] : []),
      text(axis.place(high) + 6, middle + 4, label(y)),
    ];
  });
  const under = text((left + width - right) / 2, bottom + 36, yLabel, { 'text-anchor': 'middle' });
  return picture(width, bottom + 48, title, [...ticks, ...drawn, under]);
}
