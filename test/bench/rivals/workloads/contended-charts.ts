import type { ContentionNumber } from '../contention/contention-summary.ts';
import type { Chart, Series } from '../drawing/chart.ts';
import { type Contended, middleOf } from './contended-figures.ts';
import type { Counted, Measured } from './contended-measurements.ts';

/** What grows how with the number of contenders. */
export function contendedCharts({ times, counted }: Contended): Chart[] {
  const inLine = times.filter(({ manner }) => manner === 'several processes');
  const atOnce = times.filter(({ manner }) => manner === 'several processes, asking again at once');
  const xLabel = 'contenders';
  const charts: Chart[] = [
    {
      file: 'contended-hand-over',
      title: 'Hand-over to another process, median',
      kind: 'lines',
      xLabel,
      yLabel: 'ms',
      logarithmic: true,
      series: timesBySystem(inLine, 'handOverP50Ms'),
    },
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
  return charts.filter(({ series }) => series.length > 0);
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
