import type { LockSystem } from './lock-system.ts';
import { deliveryHero, deliveryHeroTable } from './systems/deliveryhero.ts';
import { failClosed, failClosedTable, failOpen, failOpenTable } from './systems/dynamodb-lock-client.ts';
import { floorV2, floorV3 } from './systems/floor.ts';
import { holdfastEmbedded, holdfastOverHttp } from './systems/holdfast.ts';
import { naive, naiveTable } from './systems/naive.ts';

// As often as whoever is first in Holdfast's line looks, so that nobody is slower for having been told to look less often.
const fairPeriodMs = 50;
// Whoever waits gives up never, and not only after so many times.
const forEver = Number.MAX_SAFE_INTEGER;

/** The rivals as their documentation sets them up. */
const byDefault: readonly LockSystem[] = [
  // There is no default for the period; 10 s stand in its documentation.
  failClosed('defaults', { acquirePeriodMs: 10_000 }),
  failOpen('defaults', { leaseDurationMs: 10_000 }),
  deliveryHero('defaults', {}),
];

/** The rivals as fast as their documentation lets them be. */
const fair: readonly LockSystem[] = [
  failClosed('fair', { acquirePeriodMs: fairPeriodMs, retryCount: forEver }),
  // The shortest lease that Holdfast takes.
  failOpen('fair', { leaseDurationMs: 1_000, trustLocalTime: true, retryCount: forEver }),
  deliveryHero('fair', { trustLocalTime: true, waitDurationInMs: fairPeriodMs }),
  naive,
];

/** Everything where nobody waits: the settings of a rival differ in nothing else, so there is one of each. */
export const withoutWaiting: readonly LockSystem[] = [floorV3, floorV2, holdfastEmbedded, holdfastOverHttp, ...fair];

/** Everything that is measured. */
export const systems: readonly LockSystem[] = [...withoutWaiting, ...byDefault];

/** The tables that the rivals want, for whoever makes a ground. */
export const rivalTables = [failClosedTable, failOpenTable, deliveryHeroTable, naiveTable];
