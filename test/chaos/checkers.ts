import { exclusion } from './checkers/exclusion.ts';
import { fences } from './checkers/fences.ts';
import { fifo } from './checkers/fifo.ts';
import { liveness } from './checkers/liveness.ts';
import { lostSignal } from './checkers/lost-signal.ts';
import { mutex } from './checkers/mutex.ts';
import { recovery } from './checkers/recovery.ts';
import { register } from './checkers/register.ts';
import { repeatedRequests } from './checkers/repeated-requests.ts';
import { residue } from './checkers/residue.ts';
import { staleOperations } from './checkers/stale-operations.ts';
import { unfencedCounter } from './checkers/unfenced-counter.ts';
import { wellFormed } from './checkers/well-formed.ts';
import { clocksApartMs, isWithinMargin } from './clock-margin.ts';
import type { Checker, Figure, Finding } from './finding.ts';
import type { History } from './indexed-history.ts';

/** All rules: the history itself, then what holds whatever happens, then what needs clocks that agree. */
export const checkers: readonly Checker[] = [
  wellFormed,
  fences,
  register,
  staleOperations,
  repeatedRequests,
  lostSignal,
  exclusion,
  mutex,
  fifo,
  liveness,
  recovery,
  residue,
  unfencedCounter,
];

/** What became of one rule. */
export interface Checked {
  readonly checker: Checker;
  /** How many things were held against it. */
  readonly checked: number;
  /** Whether what it finds is a fault; else it is a figure, for the clocks were further apart than the margin. */
  readonly isPromised: boolean;
}

export interface Verdict {
  readonly rules: readonly Checked[];
  /** Promises that were broken. */
  readonly findings: readonly Finding[];
  readonly figures: readonly Figure[];
  /** What rules found that are not promised in this run. */
  readonly unpromised: readonly Finding[];
}

/**
 * Holds a history against every rule.
 *
 * Where the services' clocks are further apart than the margin, the lock still promises that fencing tokens grow, that the
 * fenced register is safe, that stale operations change nothing and that signals come; two holders at once are counted.
 */
export function checkHistory(history: History): Verdict {
  const clocksAgree = isWithinMargin(history);
  const outcomes = checkers.map((checker) => {
    const isPromised = clocksAgree || !checker.needsClocks;
    return { checker, isPromised, ...checker.check(history) };
  });
  const found = (promised: boolean) =>
    outcomes.filter(({ isPromised }) => isPromised === promised).flatMap(({ findings }) => findings);
  const counts = outcomes
    .filter(({ isPromised }) => !isPromised)
    .map(({ checker, findings }) => ({
      name: `${checker.rule}: broken with clocks ${clocksApartMs(history)} ms apart`,
      value: String(findings.length),
    }));
  return {
    rules: outcomes.map(({ checker, checked, isPromised }) => ({ checker, checked, isPromised })),
    findings: found(true),
    figures: [...outcomes.flatMap(({ figures = [] }) => figures), ...counts],
    unpromised: found(false),
  };
}
