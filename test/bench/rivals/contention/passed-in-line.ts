/**
 * How many left a stored line from behind somebody who stayed in it, as a series of looks shows.
 *
 * Only for a line that nobody leaves but by getting the lock.
 */
export function passedInLine(looks: readonly (readonly string[])[]): number {
  let passed = 0;
  for (const [at, line] of looks.entries()) {
    const next = new Set(looks[at + 1] ?? line);
    const firstThatStayed = line.findIndex((waiter) => next.has(waiter));
    if (firstThatStayed < 0) continue;
    passed += line.slice(firstThatStayed).filter((waiter) => !next.has(waiter)).length;
  }
  return passed;
}
