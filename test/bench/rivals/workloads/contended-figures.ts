import { type Figure, ms } from '../../figures.ts';
import { holdMs } from '../contention/contention.ts';
import { type ContentionNumber, type ContentionSummary, orderMarginMs } from '../contention/contention-summary.ts';
import type { LockSystem } from '../lock-system.ts';
import { shownSpread, spreadOf } from '../spread.ts';
import { holdfastEmbedded, holdfastOverHttp } from '../systems/holdfast.ts';
import type { Counted, Manner, Measured, Paced } from './contended-measurements.ts';
import { isSlow } from './contestants.ts';

/** All that was measured of contenders. */
export interface Contended {
  readonly times: readonly Measured[];
  readonly counted: readonly Counted[];
  readonly paced: readonly Paced[];
}

const ours = [holdfastEmbedded, holdfastOverHttp];
const atLeastTimes = 10;
const fairEnough = 0.99;

/** Of all repetitions; NaN where none could tell. */
export function middleOf(summaries: readonly ContentionSummary[], of: ContentionNumber): number {
  const values = summaries.map((summary) => summary[of]).filter(Number.isFinite);
  return values.length === 0 ? Number.NaN : spreadOf(values).median;
}

const sumOf = (summaries: readonly ContentionSummary[], of: ContentionNumber) =>
  summaries.reduce((sum, summary) => sum + summary[of], 0);

export function contendedFigures({ times, counted, paced }: Contended): Figure[] {
  return [
    ...times.map(rowOf),
    ...counted.map(costRowOf),
    ...paced.map(pacedRowOf),
    ...againstDefaults(times),
    ...atEqualRequests(times, paced),
    ...ours.flatMap((system) => promises(system, times, counted)),
    ...unitsAtEight(counted),
  ];
}

function rowOf({ system, contenders, manner, summaries }: Measured): Figure {
  // Over one client the next has it before release() returns: its transfer is both.
  const handOver = manner === 'one client' ? 'handOverFromAskedP50Ms' : 'handOverP50Ms';
  return { figure: `${contenders} contenders, ${manner}: ${system.name}`, measured: shown(summaries, handOver) };
}

function shown(
  summaries: readonly ContentionSummary[],
  handOver: 'handOverP50Ms' | 'handOverFromAskedP50Ms' = 'handOverP50Ms',
): string {
  const medians = summaries.map((summary) => summary[handOver]).filter(Number.isFinite);
  const from = handOver === 'handOverP50Ms' ? '' : ' from the call of release()';
  const fairness = middleOf(summaries, 'fairness');
  const count = (of: ContentionNumber) => `${sumOf(summaries, of)} of ${sumOf(summaries, 'grants')}`;
  return [
    medians.length === 0 ? 'nobody who waited got it' : `hand-over${from} ${shownSpread(spreadOf(medians), ms)}`,
    ...(from === '' && medians.length > 0 ? [`p99 ${ms(middleOf(summaries, 'handOverP99Ms'))}`] : []),
    `${middleOf(summaries, 'grantsPerSecond').toFixed(1)} grants a second`,
    ...(Number.isFinite(fairness) ? [`fairness ${fairness.toFixed(3)}`] : []),
    `overtook ${count('overtakings')}`,
    `again at once ${count('regrabs')}`,
    `found free ${count('foundFree')}`,
    `longest wait ${ms(middleOf(summaries, 'longestWaitMs'))}`,
    ...(sumOf(summaries, 'failed') > 0 ? [`lock() or release() failed ${sumOf(summaries, 'failed')} times`] : []),
    ...(sumOf(summaries, 'overlaps') > 0 ? [`TWO HOLDERS AT ONCE ${sumOf(summaries, 'overlaps')} times`] : []),
  ].join('; ');
}

function costRowOf({ system, contenders, cost }: Counted): Figure {
  const { requestsPerGrant, unitsPerGrant, apiRequestsPerGrant, requestsPerSecond } = cost;
  // Of a refused write dynalite does not show the item, as DynamoDB and DynamoDB Local do: Holdfast then reads it.
  const reads =
    system.kind === 'holdfast'
      ? ` (${cost.consistentReadsPerGrant.toFixed(2)} of each to read what refused a write)`
      : '';
  const api = system.sdk === 'http' ? `, ${apiRequestsPerGrant.toFixed(2)} at the API` : '';
  return {
    figure: `${contenders} contender${contenders === 1 ? '' : 's'}, cost: ${system.name}`,
    measured: `${requestsPerGrant.toFixed(2)} requests and ${unitsPerGrant.toFixed(2)} units a grant${reads}${api}; ${requestsPerSecond.toFixed(1)} requests a second`,
  };
}

function pacedRowOf({ system, contenders, pace, requestsPerSecond, summaries }: Paced): Figure {
  const ratio = pace.cost.requestsPerSecond / requestsPerSecond;
  return {
    figure: `${contenders} contenders, at ${ratio.toFixed(2)} × Holdfast’s requests a second: ${system.name}`,
    measured: `looks every ${pace.pollMs} ms; ${shown(summaries)}`,
  };
}

const severally = (manner: Manner) => manner === 'several processes';

// Holdfast embedded, where the others are looked at.
function oursAt(times: readonly Measured[], contenders: number): number {
  const same = times.find(
    (each) => each.system === holdfastEmbedded && each.contenders === contenders && severally(each.manner),
  );
  return middleOf(same?.summaries ?? [], 'handOverP50Ms');
}

// What a library waits when nothing else is said; the naive one has but one setting.
const isDefault = (system: LockSystem) => isSlow(system) || system.name === 'naive';

function againstDefaults(times: readonly Measured[]): Figure[] {
  return times
    .filter(({ system, manner }) => isDefault(system) && severally(manner))
    .map(({ system, contenders, summaries }) => {
      const [own, theirs] = [oursAt(times, contenders), middleOf(summaries, 'handOverP50Ms')];
      // Where nobody else ever got it, it took longer than the run.
      const ratio = theirs / own;
      return {
        figure: `${contenders} contenders: hand-over of ${system.name}, by Holdfast embedded’s`,
        target: `≥ ${atLeastTimes} ×`,
        measured: Number.isNaN(theirs)
          ? 'nobody who waited got it'
          : `${ratio.toFixed(1)} × (${ms(theirs)} by ${ms(own)})`,
        met: Number.isNaN(theirs) || ratio >= atLeastTimes,
      };
    });
}

function atEqualRequests(times: readonly Measured[], paced: readonly Paced[]): Figure[] {
  return paced.map(({ system, contenders, pace, requestsPerSecond, summaries }) => {
    const [own, theirs] = [oursAt(times, contenders), middleOf(summaries, 'handOverP50Ms')];
    const requests = (pace.cost.requestsPerSecond / requestsPerSecond).toFixed(2);
    return {
      figure: `${contenders} contenders: Holdfast embedded’s hand-over by that of ${system.name} at ${requests} × its requests`,
      target: '≤ 1 ×',
      measured: `${(own / theirs).toFixed(2)} × (${ms(own)} by ${ms(theirs)})`,
      met: Number.isNaN(theirs) || own <= theirs,
    };
  });
}

function promises(system: LockSystem, times: readonly Measured[], counted: readonly Counted[]): Figure[] {
  const runs = times.filter((each) => each.system === system);
  const summaries = runs.flatMap((run) => run.summaries);
  const looked = counted.flatMap(({ system: each, cost }) => (each === system && cost.passedInLine) || []);
  const passed = looked.reduce((sum, line) => sum + line.passed, 0);
  const looks = looked.reduce((sum, line) => sum + line.looks, 0);
  const byAsking = sumOf(summaries, 'overtakings');
  const grants = sumOf(summaries, 'grants');
  const fairness = runs
    .map((run) => ({ run, value: middleOf(run.summaries, 'fairness') }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((one, other) => one.value - other.value);
  const [least] = fairness;
  const overlaps = sumOf(
    [...summaries, ...counted.flatMap((each) => (each.system === system ? each.cost.summary : []))],
    'overlaps',
  );
  return [
    {
      figure: `${system.name}: got the lock from behind others in its stored line`,
      target: '0',
      measured: `${passed} (${looks} looks at the line)`,
      met: passed === 0,
    },
    {
      figure: `${system.name}: got it before somebody who had asked ${orderMarginMs} ms earlier`,
      measured: `${byAsking} of ${grants}`,
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
      measured: `${overlaps} of ${grants}`,
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
