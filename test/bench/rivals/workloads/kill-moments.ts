/** Parts of the time between two renewals: one by chance within each of so many equal stretches of it. */
export function killParts(count: number, random: () => number): number[] {
  return Array.from({ length: count }, (_, at) => (at + random()) / count);
}

/**
 * When a holder is killed that was granted its lock then and renews it once in each period: at that part between two
 * renewals, as soon as a moment has come. Milliseconds.
 */
export function killAtMs(
  { grantedMs, periodMs }: { readonly grantedMs: number; readonly periodMs: number },
  part: number,
  notBeforeMs: number,
): number {
  const periods = Math.max(0, Math.ceil((notBeforeMs - grantedMs) / periodMs - part));
  return grantedMs + (periods + part) * periodMs;
}
