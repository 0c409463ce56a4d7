import { median, quantile } from '../../figures.ts';
import type { Contention } from './contention.ts';
import { fairnessOf } from './fairness.ts';
import { handOversOf } from './hand-overs.ts';
import { overtakings } from './overtakings.ts';

/** What one run of contenders shows, times in milliseconds; NaN where it was too short to tell. */
export interface ContentionSummary {
  readonly grants: number;
  readonly grantsPerSecond: number;
  readonly handOvers: number;
  /** From release() returning to another's lock() returning. */
  readonly handOverP50Ms: number;
  readonly handOverP99Ms: number;
  /** From release() being called. */
  readonly handOverFromAskedP50Ms: number;
  readonly foundFree: number;
  readonly regrabs: number;
  readonly overlaps: number;
  readonly overtakings: number;
  readonly fairness: number;
  readonly longestWaitMs: number;
  readonly failed: number;
  readonly errors: readonly string[];
}

/** What of it is a number. */
export type ContentionNumber = Exclude<keyof ContentionSummary, 'errors'>;

/** How far apart two must ask for their order to be known: a multiple of what it takes to get in line. */
export const orderMarginMs = 250;

export function summaryOf(run: Contention, contenders: number): ContentionSummary {
  const { holds, waiting, fromMs, untilMs, failed, errors } = run;
  const measured = holds.filter(({ grantedMs }) => grantedMs >= fromMs);
  const { fromReleasedMs, fromAskedMs, foundFree, regrabs } = handOversOf(measured);
  const waitedMs = [
    ...measured.map(({ askedMs, grantedMs }) => grantedMs - askedMs),
    ...waiting.map(({ askedMs }) => untilMs - askedMs),
  ];
  return {
    grants: measured.length,
    grantsPerSecond: (measured.length * 1_000) / (untilMs - fromMs),
    handOvers: fromReleasedMs.length,
    handOverP50Ms: median(fromReleasedMs),
    handOverP99Ms: quantile(fromReleasedMs, 0.99),
    handOverFromAskedP50Ms: median(fromAskedMs),
    foundFree,
    regrabs,
    // These also as it got going.
    overlaps: handOversOf(holds).overlaps,
    overtakings: overtakings(measured, waiting, orderMarginMs),
    fairness: fairnessOf(measured, contenders),
    longestWaitMs: Math.max(0, ...waitedMs),
    failed,
    errors,
  };
}
