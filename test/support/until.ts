import { setTimeout as pause } from 'node:timers/promises';

// Whoever looks does not keep the others from working.
const betweenLooksMs = 15;

/** Looks again and again until a condition holds; fails when it does not within `withinMs` milliseconds. */
export async function until(what: string, holds: () => unknown, withinMs = 60_000): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(betweenLooksMs);
  }
}
