import type { ContentionSummary } from '../contention/contention-summary.ts';
import type { ContentionCost } from '../contention/counted-contention.ts';
import type { EqualPace } from '../contention/equal-pace.ts';
import type { LockSystem } from '../lock-system.ts';

/** How contenders are spread, and when they ask again. */
export type Manner =
  /** Each asks again when another has got the lock: hand-overs. */
  | 'one process'
  | 'several processes'
  /** Each asks again at once: who gets it how often, and in which order. */
  | 'several processes, asking again at once'
  /** Flows of one process over one client, which ask again at once. */
  | 'one client';

/** A contest, and what each repetition of it showed. */
export interface Measured {
  readonly system: LockSystem;
  readonly contenders: number;
  readonly manner: Manner;
  readonly summaries: ContentionSummary[];
}

/** What a contest costs: counted once, where those that rest ask again. */
export interface Counted {
  readonly system: LockSystem;
  readonly contenders: number;
  readonly cost: ContentionCost;
}

/** A rival at the pace at which it sends as many requests a second as Holdfast embedded does. */
export interface Paced extends Measured {
  readonly pace: EqualPace;
  readonly requestsPerSecond: number;
}
