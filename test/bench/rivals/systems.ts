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
  failOpen('defaults', { leaseDurationMs: 10_000, heartbeatPeriodMs: 3_000 }),
  // It never looks more often than once in a lease: the shortest that Holdfast has, with the same part for heartbeats.
  failOpen('fair', { leaseDurationMs: 1_000, heartbeatPeriodMs: 300, trustLocalTime: true, retryCount: forEver }),
  deliveryHero('defaults', {}, 'its defaults: lease 20 s, prolonged every 5 s, waits for one lease between looks'),
  deliveryHero(
    'fair',
    { trustLocalTime: true, waitDurationInMs: fairPeriodMs },
    `trustLocalTime, waitDurationInMs ${fairPeriodMs}; lease 20 s, prolonged every 5 s`,
  ),
  naive,
];

/** Everything that is measured. */
export const systems: readonly LockSystem[] = [floorV3, floorV2, holdfastEmbedded, holdfastOverHttp, ...rivals];

/** @throws RangeError when there is none of that name */
export function systemNamed(name: string): LockSystem {
  const found = systems.find((system) => system.name === name);
  if (found) return found;
  throw new RangeError(`a system must be one of ${systems.map((system) => system.name).join('; ')}; got ${name}`);
}

/** The tables that the rivals want, for whoever makes a ground. */
export const rivalTables = [failClosedTable, failOpenTable, deliveryHeroTable, naiveTable];
