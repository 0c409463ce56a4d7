import type { Hold } from './hold.ts';

/** Jain's index: 1 where all have the same, 1/n where one of n has everything; NaN where nobody has anything. */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return sum ** 2 / (shares.length * squares);
}

const roundsAtLeast = 5;

/**
 * Jain's index of the grants that each contender got. Grants are counted in the order in which they were given, as many
 * as make whole rounds: a line that lets everybody have one turn after the other has 1, wherever the run ended.
 *
 * @returns NaN where there were too few rounds: in one or two, a swap of neighbours in the line looks like unfairness
 */
export function fairnessOf(holds: readonly Hold[], contenders: number): number {
  const rounds = Math.floor(holds.length / contenders);
  if (rounds < roundsAtLeast) return Number.NaN;
  const grants = new Map<number, number>();
  for (const { contender } of holds
    .toSorted((one, other) => one.grantedMs - other.grantedMs)
    .slice(0, rounds * contenders)) {
    grants.set(contender, (grants.get(contender) ?? 0) + 1);
  }
  const none = Array.from({ length: Math.max(0, contenders - grants.size) }, () => 0);
  return jainIndex([...grants.values(), ...none]);
}
