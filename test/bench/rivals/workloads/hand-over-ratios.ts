import { type Figure, ms } from '../../figures.ts';
import type { ContentionSummary } from '../contention/contention-summary.ts';
import type { LockSystem } from '../lock-system.ts';
import { times as multiple, ratioOf, shownSpread } from '../spread.ts';
import { holdfastEmbedded } from '../systems/holdfast.ts';
import type { Measured, Paced } from './contests.ts';
import { fromCall, fromEnd, type HandOverStart, middleOf, nobodyGotIt } from './hand-over-times.ts';
import { isSlow } from './slow.ts';

const atLeastTimes = 10;

// What a library waits when nothing else is said; the naive one has but one setting.
const isDefault = (system: LockSystem) => isSlow(system) || system.name === 'naive';

type Summaries = readonly ContentionSummary[];

/** The rivals as they come, at every size: a target is met where it is met from both moments. */
export function againstDefaults(all: readonly Measured[]): Figure[] {
  return ofRivals(all, isDefault).map(({ system, contenders, summaries }) => {
    const ours = oursAt(all, contenders);
    return {
      figure: `${contenders} contenders: hand-over of ${system.name}, by Holdfast embedded’s`,
      target: `≥ ${atLeastTimes} ×`,
      measured: fromBoth((start) => ofMedians(summaries, ours, start)),
      met: inBoth(summaries, ours, (theirMs, ourMs) => theirMs >= atLeastTimes * ourMs),
    };
  });
}

/** The rivals as fast as they let themselves be set: no target, but neither is it hidden. */
export function againstFair(all: readonly Measured[]): Figure[] {
  return ofRivals(all, (system) => !isDefault(system)).map(({ system, contenders, summaries }) => ({
    figure: `${contenders} contenders: hand-over of ${system.name}, by Holdfast embedded’s`,
    measured: fromBoth((start) => ofRepetitions(summaries, oursAt(all, contenders), start)),
  }));
}

/** The rivals that send as many requests a second. */
export function atEqualRequests(all: readonly Measured[], paced: readonly Paced[]): Figure[] {
  return paced.map(({ system, contenders, pace, requestsPerSecond, summaries }) => {
    const ours = oursAt(all, contenders);
    const requests = (pace.cost.requestsPerSecond / requestsPerSecond).toFixed(2);
    return {
      figure: `${contenders} contenders: Holdfast embedded’s hand-over by that of ${system.name} at ${requests} × its requests`,
      target: '≤ 1 ×',
      measured: fromBoth((start) => ofMedians(ours, summaries, start)),
      met: inBoth(summaries, ours, (theirMs, ourMs) => ourMs <= theirMs),
    };
  });
}

function ofRivals(all: readonly Measured[], which: (system: LockSystem) => boolean): readonly Measured[] {
  return all.filter(({ system, manner }) => system.kind === 'rival' && which(system) && manner === 'several processes');
}

// Holdfast embedded, where the others are looked at.
function oursAt(all: readonly Measured[], contenders: number): Summaries {
  const same = all.find(
    (each) => each.system === holdfastEmbedded && each.contenders === contenders && each.manner === 'several processes',
  );
  return same?.summaries ?? [];
}

function fromBoth(shown: (start: HandOverStart) => string): string {
  return [fromEnd, fromCall].map((start) => `from ${start.name} ${shown(start)}`).join('; ');
}

function inBoth(theirs: Summaries, ours: Summaries, met: (theirMs: number, ourMs: number) => boolean): boolean {
  return [fromEnd, fromCall].every(({ p50 }) => {
    const [theirMs, ourMs] = [middleOf(theirs, p50), middleOf(ours, p50)];
    if (Number.isNaN(ourMs)) return false;
    // Where nobody else ever got it, it took longer than the run.
    return Number.isNaN(theirMs) || met(theirMs, ourMs);
  });
}

// Of what was measured one after the other.
function ofMedians(some: Summaries, others: Summaries, { p50 }: HandOverStart): string {
  const [someMs, othersMs] = [middleOf(some, p50), middleOf(others, p50)];
  if (Number.isNaN(someMs + othersMs)) return nobodyGotIt;
  return `${multiple(someMs / othersMs)} (${ms(someMs)} by ${ms(othersMs)})`;
}

// Of what was measured in turns: each repetition by itself.
function ofRepetitions(some: Summaries, others: Summaries, { p50 }: HandOverStart): string {
  const pairs = some
    .map((summary, repetition) => [summary[p50], others[repetition]?.[p50] ?? Number.NaN] as const)
    .filter((pair) => pair.every(Number.isFinite));
  if (pairs.length === 0) return nobodyGotIt;
  const ratio = ratioOf(
    pairs.map(([one]) => one),
    pairs.map(([, other]) => other),
  );
  return `${shownSpread(ratio, multiple)}; ${ms(middleOf(some, p50))} by ${ms(middleOf(others, p50))}`;
}
