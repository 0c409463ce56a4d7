/** The protocol's times, milliseconds. */
export interface Timing {
  /** How far the clocks of two hosts may disagree. Every take-over waits this long past the lease's end. */
  readonly clockSkewMs: number;
  /** How long a provisional grant lasts unless it is confirmed. */
  readonly claimWindowMs: number;
  /** How long a lock at rest is kept before DynamoDB may delete its item. Cleaning only. */
  readonly retentionMs: number;
  /** A waiting request looks again after a random time between these two. */
  readonly pollMs: { readonly min: number; readonly max: number };
}

export const defaultTiming: Timing = {
  clockSkewMs: 500,
  claimWindowMs: 3_000,
  retentionMs: 7 * 24 * 60 * 60 * 1_000,
  pollMs: { min: 50, max: 250 },
};
