import type { LockSystem } from '../lock-system.ts';
import { systems } from '../systems.ts';
import type { Size } from '../workload.ts';
import { isSlow } from './slow.ts';

// That all of them run is shown where nobody waits.
const contestants = (size: Size) =>
  systems.filter(
    ({ kind, name }) => kind === 'holdfast' || (kind === 'rival' && (size !== 'smoke' || name === 'naive')),
  );

/** Who is compared where somebody waits: the floor cannot. */
export const fastContestants = (size: Size): readonly LockSystem[] => contestants(size).filter((each) => !isSlow(each));
export const slowContestants = (size: Size): readonly LockSystem[] => contestants(size).filter(isSlow);
