/** Where time and chance come from, so that the rules run on virtual time too. */
export interface Surroundings {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** At least 0, below 1. */
  random(): number;
}
