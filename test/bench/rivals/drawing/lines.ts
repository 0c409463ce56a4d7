import { type Axis, axisOf, label } from './axis.ts';
import type { Chart } from './chart.ts';
import { element, line, picture, rounded, text } from './elements.ts';

const [width, height, left, right, top, bottom] = [900, 460, 80, 300, 48, 410];
const colours = ['#1b6ca8', '#d1495b', '#2e8b57', '#edae49', '#7b4fa3', '#555555', '#00a6a6', '#b5651d', '#c71585'];

/** One line for each series over numbers, named at the side. */
export function lines({ title, xLabel = '', yLabel, logarithmic = false, series }: Chart): string {
  const points = series.flatMap((each) => each.points);
  const x = axisOf(numbers(points.map((point) => point.x)), left, width - right, { logarithmic });
  const y = axisOf(numbers(points.map((point) => point.y)), bottom, top, { logarithmic });
  const drawn = series.flatMap(({ name, points: its }, at) => {
    const stroke = colours[at % colours.length] ?? '#000';
    const path = its.map((point) => `${rounded(x.place(Number(point.x)))},${rounded(y.place(point.y))}`);
    const beside = top + 12 + at * 20;
    return [
      element('polyline', { points: path.join(' '), fill: 'none', stroke, 'stroke-width': 2 }),
      ...path.map((place) => {
        const [cx = '', cy = ''] = place.split(',');
        return element('circle', { cx, cy, r: 3, fill: stroke });
      }),
      line(width - right + 16, beside - 4, width - right + 36, beside - 4, stroke, 2),
      text(width - right + 42, beside, name),
    ];
  });
  const middle = (top + bottom) / 2;
  return picture(width, height, title, [
    ...gridOf(x, y),
    ...drawn,
    text((left + width - right) / 2, bottom + 38, xLabel, { 'text-anchor': 'middle' }),
    text(18, middle, yLabel, { 'text-anchor': 'middle', transform: `rotate(-90 18 ${middle})` }),
  ]);
}

function gridOf(x: Axis, y: Axis): string[] {
  return [
    ...x.ticks.flatMap((tick) => [
      line(x.place(tick), top, x.place(tick), bottom, '#ddd'),
      text(x.place(tick), bottom + 16, label(tick), { 'text-anchor': 'middle' }),
    ]),
    ...y.ticks.flatMap((tick) => [
      line(left, y.place(tick), width - right, y.place(tick), '#ddd'),
      text(left - 6, y.place(tick) + 4, label(tick), { 'text-anchor': 'end' }),
    ]),
  ];
}

function numbers(values: readonly (string | number)[]): number[] {
  return values.map(Number);
}
