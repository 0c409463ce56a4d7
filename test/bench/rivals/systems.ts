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

/** The rivals, each as its documentation sets it up and as fast as that documentation lets it be. */
export const rivals: readonly LockSystem[] = [
  // There is no default for the period; 10 s stand in its documentation.
  failClosed('defaults', { acquirePeriodMs: 10_000 }),
  failClosed('fair', { acquirePeriodMs: fairPeriodMs, retryCount: forEver }),
  failOpen('defaults', { leaseDurationMs: 10_000 }),
  // The shortest lease that Holdfast takes.
  failOpen('fair', { leaseDurationMs: 1_000, trustLocalTime: true, retryCount: forEver }),
  deliveryHero('defaults', {}),
  deliveryHero('fair', { trustLocalTime: true, waitDurationInMs: fairPeriodMs }),
  naive,
];

/** Everything that is measured. */
export const systems: readonly LockSystem[] = [floorV3, floorV2, holdfastEmbedded, holdfastOverHttp, ...rivals];

/** The tables that the rivals want, for whoever makes a ground. */
export const rivalTables = [failClosedTable, failOpenTable, deliveryHeroTable, naiveTable];
