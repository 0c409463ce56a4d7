import type { CountingProxy } from '../counting-proxy.ts';
import type { Ground } from './lock-system.ts';

/** A ground that was made for a run, and goes with it. */
export interface StartedGround extends Ground {
  /** How many lines its API printed: it does so only when something went wrong. */
  complaints(): number;
  stop(): Promise<void>;
}

/** A ground where all that reaches the database and the API is counted. For counts, not for times. */
export interface CountedGround extends StartedGround {
  readonly database: CountingProxy;
  readonly api: CountingProxy;
  /** The same locks past the proxies, for whoever shall not be counted. What its API does at the database is counted all the same. */
  readonly uncounted: Ground;
}
