import { type Axis, axisOf, label } from './axis.ts';
import type { Chart } from './chart.ts';
import { line, picture, text } from './elements.ts';
import { drawnLine, drawnMark, strokeOf } from './stroke.ts';

const [height, left, right, top, bottom] = [460, 80, 600, 48, 410];
const legend = { from: right + 16, to: right + 56, names: right + 64, row: 22 };
// No letter on the average is wider in any sans-serif of that size.
const letterWidth = 7.5;

/** One line for each series over numbers, named at the side. */
export function lines({ title, xLabel = '', yLabel, logarithmic = false, series }: Chart): string {
  const points = series.flatMap((each) => each.points);
  const x = axisOf(numbers(points.map((point) => point.x)), left, right, { logarithmic });
  const y = axisOf(numbers(points.map((point) => point.y)), bottom, top, { logarithmic });
  const drawn = series.flatMap(({ name, points: its }, at) => {
    const stroke = strokeOf(at);
    const places = its.map((point) => [x.place(Number(point.x)), y.place(point.y)] as const);
    const beside = top + 12 + at * legend.row;
    return [
      drawnLine(places, stroke),
      ...places.map((place) => drawnMark(place, stroke)),
      drawnLine(
        [
          [legend.from, beside - 4],
          [legend.to, beside - 4],
        ],
        stroke,
      ),
      drawnMark([(legend.from + legend.to) / 2, beside - 4], stroke),
      text(legend.names, beside, name),
    ];
  });
  const middle = (top + bottom) / 2;
  const longest = Math.max(...series.map(({ name }) => name.length));
  return picture(Math.ceil(legend.names + longest * letterWidth), height, title, [
    ...gridOf(x, y),
    ...drawn,
    text((left + right) / 2, bottom + 38, xLabel, { 'text-anchor': 'middle' }),
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
      line(left, y.place(tick), right, y.place(tick), '#ddd'),
      text(left - 6, y.place(tick) + 4, label(tick), { 'text-anchor': 'end' }),
    ]),
  ];
}

function numbers(values: readonly (string | number)[]): number[] {
  return values.map(Number);
}
