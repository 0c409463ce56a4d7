/** By when what must have happened on a busy machine, milliseconds. */
export const bounds = {
  toleranceMs: 1_500,
  joinWithinMs: 6_000,
  // An acquire that vanished in a black hole is waited for: 20 s, and 5 s for the network. Then come pauses between tries.
  recoverWithinMs: 30_000,
  // A line of ten flows, each a few seconds under the lock, behind one that has to recover.
  finishWithinMs: 90_000,
  // Disposal waits for clean-ups, 25 s at the most.
  exitWithinMs: 60_000,
  probeWaitMs: 20_000,
} as const;

/**
 * A long run goes on for a while when all is healed: who begins something when everybody has recovered may not fail, and
 * lines are served in order.
 */
export const calmFromSeconds = 120;
export const calmMs = bounds.recoverWithinMs + 20_000;
