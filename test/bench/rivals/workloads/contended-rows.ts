import { type Figure, ms } from '../../figures.ts';
import type { ContentionNumber, ContentionSummary } from '../contention/contention-summary.ts';
import type { Counted, Measured, Paced } from './contests.ts';
import { fromCall, fromEnd, highestOf, middleOf, shownHandOvers, sumOf } from './hand-over-times.ts';

/** What a contest showed. */
export function rowOf({ system, contenders, manner, summaries }: Measured): Figure {
  // Over one client the next has it before release() returns: its transfer is both.
  const starts = manner === 'one client' ? [{ ...fromCall, name: 'the call of release()' }] : [fromEnd, fromCall];
  return { figure: `${contenders} contenders, ${manner}: ${system.name}`, measured: shown(summaries, starts) };
}

function shown(summaries: readonly ContentionSummary[], starts = [fromEnd, fromCall]): string {
  const fairness = middleOf(summaries, 'fairness');
  const count = (of: ContentionNumber) => `${sumOf(summaries, of)} of ${sumOf(summaries, 'grants')}`;
  return [
    shownHandOvers(summaries, starts),
    `${middleOf(summaries, 'grantsPerSecond').toFixed(1)} grants a second`,
    ...(Number.isFinite(fairness) ? [`fairness ${fairness.toFixed(3)}`] : []),
    `overtook ${count('overtakings')}`,
    `again at once ${count('regrabs')}`,
    `found free ${count('foundFree')}`,
    `longest wait ${ms(highestOf(summaries, 'longestWaitMs'))}`,
    ...(sumOf(summaries, 'failed') > 0 ? [`lock() or release() failed ${sumOf(summaries, 'failed')} times`] : []),
    ...(sumOf(summaries, 'overlaps') > 0 ? [`TWO HOLDERS AT ONCE ${sumOf(summaries, 'overlaps')} times`] : []),
  ].join('; ');
}

/** What a contest cost. */
export function costRowOf({ system, contenders, cost }: Counted): Figure {
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

/** What a contest of a rival at Holdfast's requests a second showed. */
export function pacedRowOf({ system, contenders, pace, requestsPerSecond, summaries }: Paced): Figure {
  const ratio = pace.cost.requestsPerSecond / requestsPerSecond;
  return {
    figure: `${contenders} contenders, at ${ratio.toFixed(2)} × Holdfast’s requests a second: ${system.name}`,
    measured: `looks every ${pace.pollMs} ms; ${shown(summaries)}`,
  };
}
