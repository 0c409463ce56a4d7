import { median, tailOf } from '../../figures.ts';
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
  /** NaN of fewer than 100, whose p99 would be the longest. */
  readonly handOverP99Ms: number;
  readonly handOverLongestMs: number;
  /** From release() being called. */
  readonly handOverFromAskedP50Ms: number;
  readonly handOverFromAskedP99Ms: number;
  readonly handOverFromAskedLongestMs: number;
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
    handOverP99Ms: p99Of(fromReleasedMs),
    handOverLongestMs: longestOf(fromReleasedMs),
    handOverFromAskedP50Ms: median(fromAskedMs),
    handOverFromAskedP99Ms: p99Of(fromAskedMs),
    handOverFromAskedLongestMs: longestOf(fromAskedMs),
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

function p99Of(values: readonly number[]): number {
  const { name, value } = tailOf(values, 99);
  return name === 'p99' ? value : Number.NaN;
}

function longestOf(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : Math.max(...values);
}
