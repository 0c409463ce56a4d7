import { hostMs } from '../../../support/host-clock.ts';
import type { Recorder } from './recorder.ts';

const everyMs = 100;
/** How late a turn of the event loop may come in a process that is not frozen. */
export const stallToleranceMs = 500;

/** Writes down when this process did not run for longer than the tolerance, whether a fault of the run made it or not. */
export function watchStalls(recorder: Recorder): { stop(): void } {
  let lastMs = hostMs();
  const timer = setInterval(() => {
    const fromMs = lastMs;
    lastMs = hostMs();
    if (lastMs - fromMs > everyMs + stallToleranceMs) recorder.tell({ type: 'stall', fromMs });
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
