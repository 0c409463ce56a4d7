/** The protocol's times, milliseconds, and the bounds of its line. */
export interface Timing {
  /** How far the clocks of two hosts may disagree. Every take-over waits this long past the lease's end. */
  readonly clockSkewMs: number;
  /** How long a provisional grant lasts unless it is confirmed. */
  readonly claimWindowMs: number;
  /** How long a lock at rest is kept before DynamoDB may delete its item. Cleaning only. */
  readonly retentionMs: number;
  /** How many may stand in line. */
  readonly lineLimit: number;
  /** How many of them, from the front, are kept waiting; the others are told when to come back. */
  readonly heldOpen: number;
  /** Whether whoever finds the line full is kept waiting, too, outside it; else it is told when to come back. */
  readonly waitsOutside: boolean;
  /** The waiter at place p looks about every p × `step`, at most every `max`, always jittered. */
  readonly pollMs: { readonly step: number; readonly max: number };
  /** Whoever finds the line full looks again after a random time between these two. */
  readonly outsideMs: { readonly min: number; readonly max: number };
  /**
   * A waiter who is told to come back does so after `step` for each place behind those held open, at most `max`; where
   * the present hold has lasted longer than `step`, that counts instead.
   */
  readonly comeBackMs: { readonly step: number; readonly max: number };
  /** How long a place stays valid while its waiter is not looking. */
  readonly placeKeptMs: number;
  /** How long the ticket of a waiter lasts who is told to come back; it is renewed when it comes back after half of it. */
  readonly awayTicketMs: number;
  /** How long a ticket lasts at the most; it is renewed at half while its waiter waits on. */
  readonly ticketMs: number;
}

/** For a service over HTTP, where one request waits 20 s at most: its ticket needs no renewal. */
export const defaultTiming: Timing = {
  clockSkewMs: 500,
  claimWindowMs: 3_000,
  retentionMs: 7 * 24 * 60 * 60 * 1_000,
  lineLimit: 64,
  heldOpen: 8,
  waitsOutside: false,
  pollMs: { step: 50, max: 1_000 },
  outsideMs: { min: 1_000, max: 5_000 },
  // A handed-over lock is lost to whoever comes back later than the claim window, less the clock margin and a round trip.
  comeBackMs: { step: 250, max: 2_000 },
  placeKeptMs: 5_000,
  awayTicketMs: 10_000,
  ticketMs: 25_000,
};

/** For a service inside its caller's own process: everybody in line is kept waiting, and renews its ticket meanwhile. */
export const embeddedTiming: Timing = {
  ...defaultTiming,
  heldOpen: defaultTiming.lineLimit,
  waitsOutside: true,
  ticketMs: 10_000,
};

/** For locks in the memory of one process: it has one clock, so no margin, and nobody repeats what was long ago. */
export const memoryTiming: Timing = { ...embeddedTiming, clockSkewMs: 0, retentionMs: 60_000 };
