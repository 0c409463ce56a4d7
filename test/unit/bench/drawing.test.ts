import { axisOf, label } from '../../bench/rivals/drawing/axis.ts';
import type { Chart } from '../../bench/rivals/drawing/chart.ts';
import { svgOf } from '../../bench/rivals/drawing/svg.ts';

const bars: Chart = {
  file: 'bars',
  title: 'Locks & <others>',
  kind: 'bars',
  yLabel: 'ms',
  series: [
    {
      name: 'cycle',
      points: [
        { x: 'Holdfast', y: 2, low: 1, high: 3 },
        { x: 'naive', y: 4 },
      ],
    },
  ],
};
const lines: Chart = {
  file: 'lines',
  title: 'Waiters',
  kind: 'lines',
  xLabel: 'waiters',
  yLabel: 'units',
  series: [
    {
      name: 'first',
      points: [
        { x: 0, y: 0 },
        { x: 8, y: 4 },
      ],
    },
    { name: 'second', points: [{ x: 4, y: 8 }] },
  ],
};
const nine = Array.from({ length: 9 }, (_, at) => `series ${at}`);
const count = (svg: string, element: string) => svg.split(`<${element} `).length - 1;

describe('an axis', () => {
  it('begins at 0 and has room for all, in round steps', () => {
    const axis = axisOf([3, 168], 0, 900);
    expect(axis.ticks).toEqual([0, 20, 40, 60, 80, 100, 120, 140, 160, 180]);
    expect(axis.place(90)).toBe(450);
  });

  it('goes by powers of ten where it is told to', () => {
    const axis = axisOf([0.5, 440], 100, 500, { logarithmic: true });
    expect(axis.ticks).toEqual([0.1, 1, 10, 100, 1_000]);
    expect(axis.place(10)).toBe(300);
  });

  it('can run from below to above', () => {
    expect(axisOf([10], 400, 0).place(10)).toBe(0);
  });

  it('has room where everything is 0, or one power of ten', () => {
    expect(axisOf([0], 0, 100).place(0)).toBe(0);
    expect(axisOf([1, 1], 0, 100, { logarithmic: true }).ticks).toEqual([1, 10]);
  });

  it.each([[[]], [[Number.NaN]], [[1, Number.POSITIVE_INFINITY]], [[-1]]])('refuses %j', (values) => {
    expect(() => axisOf(values, 0, 100)).toThrow(RangeError);
  });

  it('refuses 0 among powers of ten', () => {
    expect(() => axisOf([0, 1], 0, 100, { logarithmic: true })).toThrow('above 0, at least one, got 0');
  });

  it('labels short numbers', () => {
    expect([0, 12.3456, 1_234, 0.0001].map(label)).toEqual(['0', '12.3', '1230', '1e-4']);
  });
});

describe('a chart', () => {
  it('of bars has one for each point, and a whisker where there is a spread', () => {
    const svg = svgOf(bars);
    // The paper is one, too.
    expect(count(svg, 'rect')).toBe(3);
    expect(svg.match(/stroke="#222"/g)).toHaveLength(1);
    expect(svg).toContain('>naive</text>');
  });

  it('of lines has one for each series, and a mark for each point, and both beside its name', () => {
    const svg = svgOf(lines);
    expect(count(svg, 'polyline')).toBe(2 + 2);
    expect(count(svg, 'path')).toBe(3 + 2);
    expect(svg).toContain('>second</text>');
  });

  it('of lines that lie on one another shows each: through gaps, and by marks and dashes of its own', () => {
    const same = nine.map((name) => ({ name, points: lines.series[0]?.points ?? [] }));
    const drawn = [...svgOf({ ...lines, series: same }).matchAll(/<polyline [^>]*>/g)].map(([each]) => each);
    const dashes = drawn.map((each) => /stroke-dasharray="([^"]*)"/.exec(each)?.[1]);
    expect(new Set(dashes).size).toBe(9);
    // Only what lies at the bottom hides nothing without gaps.
    expect(dashes.indexOf(undefined)).toBe(0);
    expect(dashes.lastIndexOf(undefined)).toBe(1);
    const marks = [...svgOf({ ...lines, series: same }).matchAll(/<path d="([^"]*)"[^>]*fill="none"/g)];
    expect(new Set(marks.map(([, mark]) => mark)).size).toBe(9);
  });

  it('of more lines than can be told apart draws them all the same, with gaps', () => {
    const series = [...nine, 'tenth'].map((name) => ({ name, points: lines.series[0]?.points ?? [] }));
    const svg = svgOf({ ...lines, series });
    expect(count(svg, 'polyline')).toBe(20);
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(18);
  });

  it('of lines has room for the longest name, and some to spare', () => {
    const name = 'dynamodb-lock-client, fail closed, defaults';
    const svg = svgOf({ ...lines, series: [{ name, points: lines.series[0]?.points ?? [] }] });
    const width = Number(/width="(\d+)"/.exec(svg)?.[1]);
    const from = Number(new RegExp(`<text x="([0-9.]+)"[^>]*>${name}`).exec(svg)?.[1]);
    // At 12 px, 6.2 px a letter on the average.
    expect(width - from).toBeGreaterThan(name.length * 7);
  });

  it('of lines over a single number has bars in their place, each with the name of its series', () => {
    const series = ['first', 'second'].map((name, at) => ({ name, points: [{ x: 8, y: at + 1 }] }));
    const svg = svgOf({ ...lines, series });
    expect(count(svg, 'polyline')).toBe(0);
    expect(count(svg, 'rect')).toBe(3);
    expect(svg).toContain('>second</text>');
    expect(svg).toContain('>Waiters, 8 waiters</text>');
  });

  it('shows signs that mean something in SVG as they are', () => {
    expect(svgOf(bars)).toContain('Locks &#38; &#60;others&#62;');
  });
});
