import { ms } from '../../figures.ts';
import type { ContentionNumber, ContentionSummary } from '../contention/contention-summary.ts';
import { shownSpread, spreadOf } from '../spread.ts';

/** A moment that hand-overs are measured from, and where a summary has them. */
export interface HandOverStart {
  readonly name: string;
  readonly p50: ContentionNumber;
  readonly p99: ContentionNumber;
  readonly longest: ContentionNumber;
}

/** From here on whoever released does something else. */
export const fromEnd: HandOverStart = {
  name: 'the end of release()',
  p50: 'handOverP50Ms',
  p99: 'handOverP99Ms',
  longest: 'handOverLongestMs',
};
/** From here on nobody works under the lock. */
export const fromCall: HandOverStart = {
  name: 'its call',
  p50: 'handOverFromAskedP50Ms',
  p99: 'handOverFromAskedP99Ms',
  longest: 'handOverFromAskedLongestMs',
};

type Summaries = readonly ContentionSummary[];

const known = (summaries: Summaries, of: ContentionNumber) =>
  summaries.map((summary) => summary[of]).filter(Number.isFinite);

/** The median of all repetitions; NaN where none could tell. */
export function middleOf(summaries: Summaries, of: ContentionNumber): number {
  const values = known(summaries, of);
  return values.length === 0 ? Number.NaN : spreadOf(values).median;
}

/** The highest of all repetitions; NaN where none could tell. */
export function highestOf(summaries: Summaries, of: ContentionNumber): number {
  const values = known(summaries, of);
  return values.length === 0 ? Number.NaN : spreadOf(values).high;
}

export function sumOf(summaries: Summaries, of: ContentionNumber): number {
  return summaries.reduce((sum, summary) => sum + summary[of], 0);
}

export const nobodyGotIt = 'nobody who waited got it';

/** Hand-overs from these moments, with how many there were. */
export function shownHandOvers(summaries: Summaries, starts: readonly HandOverStart[]): string {
  const count = sumOf(summaries, 'handOvers');
  if (count === 0) return nobodyGotIt;
  const from = starts.map(
    (start) =>
      `from ${start.name} ${shownSpread(spreadOf(known(summaries, start.p50)), ms)}, ${tailIn(summaries, start)}`,
  );
  return `hand-over ${from.join('; ')}; ${count} hand-overs`;
}

// Every repetition must have had enough of them.
function tailIn(summaries: Summaries, { p99, longest }: HandOverStart): string {
  return known(summaries, p99).length === summaries.length
    ? `p99 ${ms(middleOf(summaries, p99))}`
    : `longest ${ms(highestOf(summaries, longest))}`;
}
