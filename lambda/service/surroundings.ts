/** Where time and chance come from, so that the rules run on virtual time too. */
export interface Surroundings {
  /** Epoch milliseconds. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** At least 0, below 1. */
  random(): number;
}
