import type { Surroundings } from '../../lambda/service/surroundings.ts';
import { onAbort } from '../abort-listeners.ts';

/**
 * The clock, the timers and the chance of this process, looked up at each call, so that fake ones count. A timer keeps
 * the process alive, because somebody waits for it, and is gone as soon as the signal aborts.
 */
export const processSurroundings: Surroundings = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(wake, ms);
      const unlisten = signal && onAbort(signal, wake);
      function wake(): void {
        clearTimeout(timer);
        unlisten?.();
        resolve();
      }
    }),
  random: () => Math.random(),
};
