import type { LockSystem } from '../lock-system.ts';

/** The floor that a system stands on: that of its AWS SDK. The functions behind the API have v3. */
export function floorAmong(systems: Iterable<LockSystem>, { sdk }: Pick<LockSystem, 'sdk'>): LockSystem {
  const ofFloor = sdk === 'v2' ? 'v2' : 'v3';
  const floor = [...systems].find((each) => each.kind === 'floor' && each.sdk === ofFloor);
  if (floor) return floor;
  throw new RangeError(`the floor on SDK ${ofFloor} must have been measured, and was not`);
}
