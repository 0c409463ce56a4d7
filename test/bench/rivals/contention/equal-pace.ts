import type { ContentionCost } from './counted-contention.ts';

/** A pace at which a system sends about so many requests a second, with what it then costs. */
export interface EqualPace {
  readonly pollMs: number;
  readonly cost: ContentionCost;
}

const tries = 3;
const near = 0.1;
const pollMs = { min: 1, max: 10_000 };

/**
 * Finds how often those who wait must look for a system to send so many requests a second, by trying. Gives the nearest
 * of the tries.
 *
 * @param requestsPerSecond wanted
 * @param contenders of whom one holds, and the others look
 */
export async function equalPace(
  requestsPerSecond: number,
  contenders: number,
  costAt: (pollMs: number) => Promise<ContentionCost>,
): Promise<EqualPace> {
  const off = ({ cost }: EqualPace) => Math.abs(Math.log(cost.requestsPerSecond / requestsPerSecond));
  let nearest: EqualPace | undefined;
  let wantedMs = ((contenders - 1) * 1_000) / requestsPerSecond;
  for (let round = 0; round < tries; round++) {
    const roundedMs = Math.round(Math.min(pollMs.max, Math.max(pollMs.min, wantedMs)));
    const tried = { pollMs: roundedMs, cost: await costAt(roundedMs) };
    if (!nearest || off(tried) < off(nearest)) nearest = tried;
    if (off(tried) < near) break;
    wantedMs = (roundedMs * tried.cost.requestsPerSecond) / requestsPerSecond;
  }
  return nearest as EqualPace;
}
