import type { Ask, Hold } from './hold.ts';

/**
 * How many grants went past somebody who had asked earlier, by more than a margin, and got it later or never.
 *
 * @param marginMs how far apart two must ask for their order to be known: who asks first need not be first in line
 */
export function overtakings(holds: readonly Hold[], waiting: readonly Ask[], marginMs: number): number {
  const never = waiting.map(({ askedMs }) => ({ askedMs, grantedMs: Number.POSITIVE_INFINITY }));
  const asks = [...holds, ...never].sort((one, other) => one.askedMs - other.askedMs);
  let overtaken = 0;
  let surelyEarlier = 0;
  let lastGrantedMs = Number.NEGATIVE_INFINITY;
  for (const { askedMs, grantedMs } of asks) {
    for (let earlier = asks[surelyEarlier]; earlier && earlier.askedMs + marginMs < askedMs; ) {
      lastGrantedMs = Math.max(lastGrantedMs, earlier.grantedMs);
      surelyEarlier++;
      earlier = asks[surelyEarlier];
    }
    if (grantedMs < lastGrantedMs) overtaken++;
  }
  return overtaken;
}
