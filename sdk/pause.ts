/** The longest time a timer takes: 2^31 - 1 ms, 24.8 days. A longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** `ms` as a timer takes it: not more than 24.8 days, and not less than nothing, of which newer Nodes warn. */
export function timerMs(ms: number): number {
  return Math.max(0, Math.min(ms, longestTimerMs));
}

/** Calls `run` after `ms` milliseconds, if the process is still there: such a timer does not keep it alive. */
export function timerAside(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, timerMs(ms));
  // Where timers are plain numbers they do not keep anything alive.
  if (typeof timer === 'object') timer.unref();
  return timer;
}

/**
 * Waits `ms` milliseconds, at most 24.8 days, or until `until` settles if that comes first. The timer keeps the process
 * alive, because somebody awaits it, and is gone afterwards.
 */
export async function pause(ms: number, until?: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timerMs(ms));
  });
  try {
    await Promise.race(until === undefined ? [over] : [over, until]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Full jitter from 50 ms up to 2 s, or `longestMs`: the pause before attempt `attempt` + 1, `attempt` from 0. `random` is
 * in 0 … 1.
 */
export function backOffMs(attempt: number, random: () => number, longestMs = 2_000): number {
  return random() * Math.min(longestMs, 50 * 2 ** attempt);
}
