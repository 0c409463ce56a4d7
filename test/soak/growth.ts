import { median } from '../bench/figures.ts';

/** How a figure developed over a run. */
export interface Growth {
  /** Median of the first third after warming up. */
  readonly early: number;
  /** Median of the last third. */
  readonly late: number;
  readonly highest: number;
  readonly isFlat: boolean;
}

/** How much more the last third may have than the first: whichever is more. */
export interface Allowance {
  readonly share: number;
  readonly absolute: number;
}

/** Of the samples of a run, the first tenth is warming up. */
const warmUpShare = 0.1;

/** @param samples in order, taken at even intervals, at least four */
export function growthOf(samples: readonly number[], allowed: Allowance): Growth {
  const warm = samples.slice(Math.ceil(samples.length * warmUpShare));
  const third = Math.max(1, Math.floor(warm.length / 3));
  const [early, late] = [median(warm.slice(0, third)), median(warm.slice(-third))];
  const isFlat = late <= early + Math.max(allowed.absolute, allowed.share * early);
  return { early, late, highest: Math.max(...samples), isFlat };
}
