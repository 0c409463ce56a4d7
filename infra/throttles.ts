import type { CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  attemptsPerSlot,
  type Concurrency,
  defaultThrottles,
  sharedConcurrency,
  type Throttle,
  waitsAtOnce,
  waitsShare,
} from '../lambda/throttles.ts';
import { limits } from '../sdk/wire/limits.ts';
import { type Operation, routeKey, routes } from '../sdk/wire/routes.ts';

/**
 * What routes take, by operation; a route that is left out has its default. In an account of 1,000 slots, a second and
 * at once:
 *
 * - `acquire` 20, 100: each may keep a slot for 20 s, so that at most 100 + 20 × 20 = 500 wait at the same time, half of
 *   the slots. With `reservedConcurrency.acquire` 5 a second for each slot, and all slots at once;
 * - `try` 1000, 250, and in smaller accounts 5 a second for each slot: they run where renewals do;
 * - `renew` and `release` 2000, 1000;
 * - `inspect` 100, 50; `list` and `break` 5, 5.
 */
export type Throttles = Readonly<Partial<Record<Operation, Throttle>>>;

export interface ThrottleProps {
  /**
   * What single routes take. Whoever asks more often is answered 429 and asks again later, as the SDK does by itself;
   * the gateway treats these numbers as targets.
   *
   * @default - by `accountConcurrency` and `reservedConcurrency`, see {@link Throttles}: renewals and releases work
   *   whatever waiters do, also without reserved concurrency
   */
  readonly throttles?: Throttles;
}

/** The quota of an account in a Region, for all its APIs together. */
const quota = { requestsPerSecond: 10_000, burst: 5_000 };

/**
 * What each route takes.
 *
 * @throws Error when a number is none, above the account's quota, or would let waiters or attempts keep renewals and
 *   releases from running
 */
export function throttlesOf({ throttles = {} }: ThrottleProps, concurrency: Concurrency) {
  for (const [operation, throttle] of Object.entries(throttles)) {
    if (!Object.hasOwn(routes, operation)) {
      throw new Error(`throttles must be for ${Object.keys(routes).join(', ')}, got one for "${operation}"`);
    }
    if (throttle) checkNumbers(operation, throttle);
  }
  const given = Object.fromEntries(Object.entries(throttles).filter(([, throttle]) => throttle !== undefined));
  const all: Readonly<Record<Operation, Throttle>> = { ...defaultThrottles(concurrency), ...given };
  checkWaits(all.acquire, concurrency);
  checkAttempts(all.try, concurrency);
  checkWhatEndsAHold(all);
  return all;
}

/**
 * Sets the throttle of each route on the stage. The gateway does not merge them with the stage's defaults, and a number
 * that is left out is 0: each repeats everything. It refuses settings of a route that is not there yet.
 */
export function throttleRoutes(
  stage: CfnStage,
  cfnRoutes: readonly CfnRoute[],
  throttles: Readonly<Record<Operation, Throttle>>,
): void {
  const defaults = (stage.defaultRouteSettings ?? {}) as CfnStage.RouteSettingsProperty;
  stage.routeSettings = Object.fromEntries(
    Object.values(routes).map((route) => [
      routeKey(route),
      {
        DetailedMetricsEnabled: defaults.detailedMetricsEnabled ?? false,
        ThrottlingRateLimit: throttles[route.operation].requestsPerSecond,
        ThrottlingBurstLimit: throttles[route.operation].burst,
      },
    ]),
  );
  stage.node.addDependency(...cfnRoutes);
}

function checkNumbers(operation: string, { requestsPerSecond, burst }: Throttle): void {
  if (!(requestsPerSecond > 0 && requestsPerSecond <= quota.requestsPerSecond)) {
    throw new Error(
      `throttles.${operation}.requestsPerSecond must be above 0 and at most ${quota.requestsPerSecond}, ` +
        `the quota of an account, got ${requestsPerSecond}`,
    );
  }
  if (!Number.isInteger(burst) || burst < 1 || burst > quota.burst) {
    throw new Error(
      `throttles.${operation}.burst must be a whole number from 1 to ${quota.burst}, the quota of an account, got ${burst}`,
    );
  }
}

function checkWaits(acquire: Throttle, concurrency: Concurrency): void {
  const { lease, acquire: own } = concurrency.reserved;
  if (lease !== undefined || own !== undefined) return;
  const most = sharedConcurrency(concurrency) * waitsShare;
  const waits = waitsAtOnce(acquire);
  if (waits <= most) return;
  const { requestsPerSecond, burst } = acquire;
  throw new Error(
    `throttles.acquire lets ${waits} requests wait at once (${burst}, and ${requestsPerSecond} a second for up to ` +
      `${limits.waitMs.max / 1_000} s each), which could keep renewals and releases from running: at most ${most} may, ` +
      `half of accountConcurrency. Lower it, set reservedConcurrency.lease, or set accountConcurrency to the account's ` +
      'quota if that is higher.',
  );
}

function checkAttempts({ requestsPerSecond, burst }: Throttle, concurrency: Concurrency): void {
  const slots = concurrency.reserved.lease ?? sharedConcurrency(concurrency);
  const most = slots * attemptsPerSlot;
  if (requestsPerSecond <= most && burst < slots) return;
  throw new Error(
    `throttles.try takes ${requestsPerSecond} requests a second and ${burst} at once, which could keep renewals and ` +
      `releases from running, for they have the same ${slots} slots: at most ${most} a second, and fewer than ${slots} ` +
      'at once. Lower it, or raise reservedConcurrency.lease or accountConcurrency.',
  );
}

// Every lock that was waited for is renewed and released.
function checkWhatEndsAHold(throttles: Readonly<Record<Operation, Throttle>>): void {
  const least = throttles.acquire.requestsPerSecond;
  for (const operation of ['renew', 'release'] as const) {
    const { requestsPerSecond } = throttles[operation];
    if (requestsPerSecond >= least) continue;
    throw new Error(
      `throttles.${operation}.requestsPerSecond must be at least that of acquire, ${least}, got ${requestsPerSecond}: ` +
        'whoever waited for a lock has to keep it and give it back. Raise it, or lower throttles.acquire.',
    );
  }
}
