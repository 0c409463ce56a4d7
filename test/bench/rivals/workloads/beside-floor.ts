import type { LockSystem } from '../lock-system.ts';
import { type Spread, spreadOf } from '../spread.ts';
import { floorV2, floorV3 } from '../systems/floor.ts';

/** The floor that a system stands on: that of its AWS SDK. The functions behind the API have v3. */
export function floorOf({ sdk }: LockSystem): LockSystem {
  return sdk === 'v2' ? floorV2 : floorV3;
}

/** One measure as a multiple of another, from the repetitions of both: each by the other of the same repetition. */
export function ratioOf(values: readonly number[], others: readonly number[]): Spread {
  return spreadOf(values.map((value, repetition) => value / (others[repetition] ?? Number.NaN)));
}

export function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}
