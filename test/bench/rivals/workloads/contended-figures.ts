import type { Figure } from '../../figures.ts';
import { holdMs } from '../contention/contention.ts';
import { orderMarginMs } from '../contention/contention-summary.ts';
import type { LockSystem } from '../lock-system.ts';
import { holdfastEmbedded, holdfastOverHttp } from '../systems/holdfast.ts';
import { costRowOf, pacedRowOf, rowOf } from './contended-rows.ts';
import type { Counted, Measured, Paced } from './contests.ts';
import { againstDefaults, againstFair, atEqualRequests } from './hand-over-ratios.ts';
import { middleOf, sumOf } from './hand-over-times.ts';

/** All that was measured of contenders. */
export interface Contended {
  readonly times: readonly Measured[];
  readonly counted: readonly Counted[];
  readonly paced: readonly Paced[];
}

const ours = [holdfastEmbedded, holdfastOverHttp];
const fairEnough = 0.99;

export function contendedFigures({ times, counted, paced }: Contended): Figure[] {
  return [
    ...times.map(rowOf),
    ...counted.map(costRowOf),
    ...paced.map(pacedRowOf),
    ...againstDefaults(times),
    ...againstFair(times),
    ...atEqualRequests(times, paced),
    ...ours.flatMap((system) => promises(system, times, counted)),
    ...unitsAtEight(counted),
  ];
}

// What belongs to one system stands in one figure: how often was looked, and at how many grants.
function promises(system: LockSystem, times: readonly Measured[], counted: readonly Counted[]): Figure[] {
  const runs = times.filter((each) => each.system === system);
  const timed = runs.flatMap((run) => run.summaries);
  const costs = counted.filter((each) => each.system === system).map(({ cost }) => cost);
  const seen = costs.map(({ summary }) => summary);
  const lines = costs.flatMap(({ passedInLine }) => passedInLine ?? []);
  const passed = lines.reduce((sum, line) => sum + line.passed, 0);
  const looks = lines.reduce((sum, line) => sum + line.looks, 0);
  const all = [...timed, ...seen];
  const overlaps = sumOf(all, 'overlaps');
  const [least] = runs
    .map((run) => ({ run, value: middleOf(run.summaries, 'fairness') }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((one, other) => one.value - other.value);
  return [
    {
      figure: `${system.name}: got the lock from behind others in its stored line`,
      target: '0',
      measured: `${passed}, by ${looks} looks at the line during ${sumOf(seen, 'grants')} grants; before somebody who had asked ${orderMarginMs} ms earlier: ${sumOf(timed, 'overtakings')} of ${sumOf(timed, 'grants')} other grants`,
      met: passed === 0,
    },
    {
      figure: `${system.name}: fairness (Jain), the lowest of all sizes and manners`,
      target: `≥ ${fairEnough}`,
      ...(least
        ? {
            measured: `${least.value.toFixed(4)} (${least.run.contenders} contenders, ${least.run.manner})`,
            met: least.value >= fairEnough,
          }
        : { measured: 'too short to tell' }),
    },
    {
      figure: `${system.name}: two holders at once, held ${holdMs} ms each`,
      target: '0',
      measured: `${overlaps} of all ${sumOf(all, 'grants')} grants`,
      met: overlaps === 0,
    },
  ];
}

function unitsAtEight(counted: readonly Counted[]): Figure[] {
  const atEight = counted.filter(({ contenders }) => contenders === 8);
  const cheapest = atEight
    .filter(({ system }) => system.kind === 'rival')
    .sort((one, other) => one.cost.unitsPerGrant - other.cost.unitsPerGrant)[0];
  if (!cheapest) return [];
  return atEight
    .filter(({ system }) => system.kind === 'holdfast')
    .map(({ system, cost }) => ({
      figure: `8 contenders: units a grant, ${system.name}`,
      target: `≤ ${cheapest.cost.unitsPerGrant.toFixed(2)} (${cheapest.system.name})`,
      measured: cost.unitsPerGrant.toFixed(2),
      met: cost.unitsPerGrant <= cheapest.cost.unitsPerGrant,
    }));
}
