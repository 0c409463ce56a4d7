import type { ContentionNumber } from '../contention/contention-summary.ts';
import type { Chart, Series } from '../drawing/chart.ts';
import type { Contended } from './contended-figures.ts';
import type { Counted, Measured } from './contests.ts';
import { fromCall, fromEnd, middleOf } from './hand-over-times.ts';

/** What grows how with the number of contenders. */
export function contendedCharts({ times, counted }: Contended): Chart[] {
  const inLine = times.filter(({ manner }) => manner === 'several processes');
  const atOnce = times.filter(({ manner }) => manner === 'several processes, asking again at once');
  const xLabel = 'contenders';
  const charts: Chart[] = [
    ...[
      { file: 'contended-hand-over', start: fromEnd },
      { file: 'contended-hand-over-from-call', start: { ...fromCall, name: 'the call of release()' } },
    ].map(
      ({ file, start }): Chart => ({
        file,
        title: `Hand-over to another process, from ${start.name}, median`,
        kind: 'lines',
        xLabel,
        yLabel: 'ms',
        logarithmic: true,
        series: timesBySystem(inLine, start.p50).map(aboveZero),
      }),
    ),
    {
      file: 'contended-grants',
      title: 'Grants to another contender',
      kind: 'lines',
      xLabel,
      yLabel: 'grants a second',
      series: timesBySystem(inLine, 'grantsPerSecond'),
    },
    {
      file: 'contended-fairness',
      title: 'Fairness (Jain) where everybody asks again at once',
      kind: 'lines',
      xLabel,
      yLabel: 'index',
      series: timesBySystem(atOnce, 'fairness'),
    },
    {
      file: 'contended-units',
      title: 'Capacity units a grant',
      kind: 'lines',
      xLabel,
      yLabel: 'units',
      logarithmic: true,
      series: bySystem(counted, ({ cost }) => cost.unitsPerGrant),
    },
  ];
  return charts
    .map((chart) => ({ ...chart, series: chart.series.filter(({ points }) => points.length > 0) }))
    .filter(({ series }) => series.length > 0);
}

function timesBySystem(measured: readonly Measured[], of: ContentionNumber): Series[] {
  return bySystem(measured, ({ summaries }) => middleOf(summaries, of));
}

function bySystem<T extends Counted | Measured>(all: readonly T[], of: (each: T) => number): Series[] {
  const points = new Map<string, { x: number; y: number }[]>();
  for (const each of all) {
    const y = of(each);
    if (!Number.isFinite(y)) continue;
    const { name } = each.system;
    points.set(
      name,
      [...(points.get(name) ?? []), { x: each.contenders, y }].sort((one, other) => one.x - other.x),
    );
  }
  return [...points].map(([name, those]) => ({ name, points: those }));
}

// Where the next one has it before release() returned, there is no place on an axis by powers of ten.
function aboveZero({ name, points }: Series): Series {
  return { name, points: points.filter(({ y }) => y > 0) };
}
