import type { Workload } from '../workload.ts';
import { contendedCharts } from './contended-charts.ts';
import { contendedFigures } from './contended-figures.ts';
import { measureAtEqualRequests, measureCosts, measureTimes } from './contended-measurements.ts';

/** Many want one lock, each again and again, and hold it for a short time. */
export const contended: Workload = async (context) => {
  const times = await measureTimes(context);
  const { counted, slow } = await measureCosts(context);
  const paced = await measureAtEqualRequests(context, counted);
  const all = { times: [...times, ...slow], counted, paced };
  return {
    figures: contendedFigures(all),
    series: {
      times: all.times.map(({ system, ...rest }) => ({ system: system.name, ...rest })),
      costs: counted.map(({ system, ...rest }) => ({ system: system.name, ...rest })),
      atEqualRequests: paced.map(({ system, ...rest }) => ({ system: system.name, ...rest })),
    },
    charts: contendedCharts(all),
  };
};
