/** Something that happened at one moment between two, and a number that should grow with that moment. */
export interface Timed {
  /** It did not happen before. */
  readonly fromMs: number;
  /** It had happened by then. */
  readonly byMs: number;
  readonly number: number;
}

/**
 * Each thing with that of the highest number among those that surely happened before it. When one number is to follow
 * another by real time, comparing these pairs suffices.
 */
export function withHighestBefore<T extends Timed>(things: readonly T[]): { readonly before: T; readonly thing: T }[] {
  const byEnd = [...things].sort((one, other) => one.byMs - other.byMs);
  const byBegin = [...things].sort((one, other) => one.fromMs - other.fromMs);
  const pairs: { before: T; thing: T }[] = [];
  let next = 0;
  let highest: T | undefined;
  for (const thing of byBegin) {
    for (; ; next++) {
      const earlier = byEnd[next];
      if (!earlier || earlier.byMs >= thing.fromMs) break;
      if (!highest || earlier.number > highest.number) highest = earlier;
    }
    if (highest) pairs.push({ before: highest, thing });
  }
  return pairs;
}
