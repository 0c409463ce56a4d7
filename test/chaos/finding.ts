import type { HistoryEvent } from './history.ts';
import type { History } from './indexed-history.ts';

/** A promise that a history breaks. */
export interface Finding {
  /** The name of the rule that found it. */
  readonly rule: string;
  /** Nothing when it is not about one lock. */
  readonly lockId?: string;
  /** What was expected and what happened, for people. */
  readonly message: string;
  /** The events that contradict one another. */
  readonly events: readonly HistoryEvent[];
}

/** Something that was measured and is no fault. */
export interface Figure {
  readonly name: string;
  readonly value: string;
}

/** What one rule found in one history. */
export interface Outcome {
  /** How many grants, writes, replies … were held against the rule. 0: the history shows nothing about it. */
  readonly checked: number;
  readonly findings: readonly Finding[];
  readonly figures?: readonly Figure[];
}

/** One rule. Its cost is about n log n, and it changes nothing. */
export interface Checker {
  readonly rule: string;
  /** What the rule promises, in one sentence. */
  readonly promise: string;
  /** Whether it is promised only while the clocks of the services agree within the margin. */
  readonly needsClocks: boolean;
  check(history: History): Outcome;
}
