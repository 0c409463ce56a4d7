import type { LockSystem } from '../lock-system.ts';
import { systems } from '../systems.ts';
import type { Size } from '../workload.ts';

const slowFromMs = 5_000;

/** Whether those who wait do nothing for seconds, so that only few hand-overs can be measured. */
export const isSlow = ({ waitsMs = 0 }: LockSystem): boolean => waitsMs >= slowFromMs;

// That all of them run is shown where nobody waits.
const contestants = (size: Size) =>
  systems.filter(
    ({ kind, name }) => kind === 'holdfast' || (kind === 'rival' && (size !== 'smoke' || name === 'naive')),
  );

/** Who is compared where somebody waits: the floor cannot. */
export const fastContestants = (size: Size): readonly LockSystem[] => contestants(size).filter((each) => !isSlow(each));
export const slowContestants = (size: Size): readonly LockSystem[] => contestants(size).filter(isSlow);
