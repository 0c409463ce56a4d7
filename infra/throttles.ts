import { Token } from 'aws-cdk-lib';
import type { CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  type Concurrency,
  defaultThrottles,
  othersShare,
  requestsPerSlot,
  sharedConcurrency,
  sharingOf,
  type Throttle,
  waitsAtOnce,
  waitsShare,
} from '../lambda/throttles.ts';
import { limits } from '../sdk/wire/limits.ts';
import { type Operation, routeKey, routes } from '../sdk/wire/routes.ts';
import { checkNamed, checkWholeNumber, refusal } from './refusal.ts';

/**
 * What routes take, by operation; a route that is left out has its default. In an account of 1,000 slots, a second and
 * at once:
 *
 * - `acquire` 20, 100: each may keep a slot for 20 s, so that at most 100 + 20 × 20 = 500 wait at the same time, half of
 *   the slots. With `reservedConcurrency.acquire` 5 a second for each slot, and all slots at once;
 * - `try` 1000, 150, a quarter of the slots: they run where renewals do;
 * - `renew` and `release` 2000, 1000;
 * - `inspect` 100, 50; `list` and `break` 5, 5.
 *
 * In larger accounts `acquire` is more, 1,000 a second and 500 at once at the most. In smaller ones all but `renew` and
 * `release` are less. Together the others leave an eighth of the slots that renewals and releases run in, where a slot
 * serves 10 requests a second, and each of a burst takes one.
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
 * @throws Error when a number is none, above the account's quota, or would let the other requests keep renewals and
 *   releases from running
 */
export function throttlesOf({ throttles = {} }: ThrottleProps, concurrency: Concurrency) {
  checkNamed('throttles', throttles, Object.keys(routes), 'Leave out what is to have its default.');
  const given = Object.fromEntries(Object.entries(throttles).filter(([, throttle]) => throttle !== undefined));
  for (const [operation, throttle] of Object.entries(given)) checkNumbers(operation, throttle);
  const all: Readonly<Record<Operation, Throttle>> = { ...defaultThrottles(concurrency), ...given };
  checkWaits(all.acquire, concurrency);
  checkSharing(all, concurrency);
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

function checkNumbers(operation: string, throttle: unknown): void {
  const prop = `throttles.${operation}`;
  checkNamed(prop, throttle, ['requestsPerSecond', 'burst'], 'Give both numbers, or leave it out for the default.');
  const { requestsPerSecond, burst } = throttle;
  const isKnown = typeof requestsPerSecond === 'number' && !Token.isUnresolved(requestsPerSecond);
  if (!(isKnown && requestsPerSecond > 0 && requestsPerSecond <= quota.requestsPerSecond)) {
    throw refusal(
      `${prop}.requestsPerSecond`,
      `must be a number above 0 and at most ${quota.requestsPerSecond}, the quota of an account`,
      requestsPerSecond,
      'Set it within these bounds, or leave the route out for its default.',
    );
  }
  checkWholeNumber(`${prop}.burst`, burst as number, { min: 1, max: quota.burst }, ', the quota of an account,');
}

function checkWaits(acquire: Throttle, concurrency: Concurrency): void {
  const { lease, acquire: own } = concurrency.reserved;
  if (lease !== undefined || own !== undefined) return;
  const most = sharedConcurrency(concurrency) * waitsShare;
  const waits = waitsAtOnce(acquire);
  if (waits <= most) return;
  const { requestsPerSecond, burst } = acquire;
  throw refusal(
    'throttles.acquire',
    `must let at most ${most} requests wait at once, half of accountConcurrency, so that renewals and releases run`,
    `${shortly(waits)} (${burst}, and ${requestsPerSecond} a second for up to ${limits.waitMs.max / 1_000} s each)`,
    "Lower it, set reservedConcurrency.lease, or set accountConcurrency to the account's quota if that is higher.",
  );
}

// Each for itself may be no harm, all together are.
function checkSharing(throttles: Readonly<Record<Operation, Throttle>>, concurrency: Concurrency): void {
  const { slots, taken } = sharingOf(throttles, concurrency);
  const most = slots * othersShare;
  const sum = Object.values(taken).reduce((all, each) => all + each, 0);
  if (sum <= most + 1e-6) return;
  const parts = Object.entries(taken).map(([operation, each]) => `${operation} ${shortly(each)}`);
  throw refusal(
    'throttles',
    `must let at most ${shortly(most)} of the ${slots} slots in which renewals and releases run be taken by others`,
    `${shortly(sum)} (${parts.join(', ')})`,
    `A slot serves ${requestsPerSlot} requests a second, and each of a burst takes one: lower those that take most, or ` +
      'raise reservedConcurrency.lease or accountConcurrency.',
  );
}

// Every lock that was taken is renewed and released.
function checkWhatEndsAHold(throttles: Readonly<Record<Operation, Throttle>>): void {
  for (const operation of ['renew', 'release'] as const) {
    for (const taking of ['acquire', 'try'] as const) {
      for (const number of ['requestsPerSecond', 'burst'] as const) {
        const [value, least] = [throttles[operation][number], throttles[taking][number]];
        if (value >= least) continue;
        throw refusal(
          `throttles.${operation}.${number}`,
          `must be at least that of ${taking}, ${least}, for whoever took a lock has to keep it and give it back`,
          value,
          `Raise it, or lower throttles.${taking}.`,
        );
      }
    }
  }
}

function shortly(slots: number): string {
  return String(Math.round(slots * 100) / 100);
}
