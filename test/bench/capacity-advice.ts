import {
  type Concurrency,
  defaultThrottles,
  othersShare,
  slotsAtOnce,
  type Throttle,
  waitsAtOnce,
  waitsShare,
} from '../../lambda/throttles.ts';
import type { Operation } from '../../sdk/wire/routes.ts';
import { type Demand, demandOf, type Load, renewalsOf } from './capacity-model.ts';
import { quotas } from './quotas.ts';

/** What has to be done, over the API, before a deployment takes what it is asked for. */
export interface Advice {
  /**
   * Lock services that it is spread over, each with a table and an API: a route of one takes no more than the quota of an
   * account.
   */
  readonly services: number;
  /** What the construct of each of them is told; throttles and slots of its own only where its defaults do not do. */
  readonly props: {
    readonly accountConcurrency: number;
    readonly reservedConcurrency: { readonly acquire?: number };
    readonly throttles: Readonly<Partial<Record<Operation, Throttle>>>;
  };
  /** Quotas of the account that have to be raised. */
  readonly quotas: readonly string[];
}

// Lambda leaves so many to functions without a reservation.
const leastUnreserved = 100;
const ordinary = defaultThrottles({ account: quotas.concurrency.value, reserved: {} });

/** Slots that the account needs where none are reserved: the throttles let waits keep half of them. */
export function accountSlots(slots: number): number {
  return slots / (1 - waitsShare);
}

export function adviceForLoad(load: Load): Advice {
  const services = servicesFor(load.grantsPerSecond, renewalsOf(load));
  const grants = load.grantsPerSecond / services;
  const renewals = renewalsOf(load) / services;
  const demand = demandOf(load);
  const slots = Math.max(accountSlots(demand.slots / services), slotsForTries(grants));
  const accountConcurrency = Math.max(quotas.concurrency.value, Math.ceil(slots));
  const asked = { try: grants, renew: renewals, release: grants };
  const throttles = raised(asked, { account: accountConcurrency, reserved: {} });
  const props = { accountConcurrency, reservedConcurrency: {}, throttles };
  return { services, props, quotas: quotasFor(demand.requests, services * accountConcurrency) };
}

/** What waiters need. Where the account's throttle does not do, they get slots of their own. */
export function adviceForWaits({ requests, slots, waitingSlots }: Demand): Advice {
  const isLetIn = requests <= ordinary.acquire.requestsPerSecond && waitingSlots <= waitsAtOnce(ordinary.acquire);
  const services = servicesFor(requests);
  const acquire = Math.ceil((waitingSlots + slots) / services);
  const reservedConcurrency = isLetIn ? {} : { acquire };
  const accountConcurrency = Math.max(quotas.concurrency.value, isLetIn ? 0 : acquire + leastUnreserved);
  const concurrency = { account: accountConcurrency, reserved: reservedConcurrency };
  const throttles = raised({ acquire: requests / services }, concurrency);
  const props = { accountConcurrency, reservedConcurrency, throttles };
  return { services, props, quotas: quotasFor(requests, services * accountConcurrency) };
}

/** An advice as the tables list it. */
export function listed({ services, props, quotas }: Advice): string[] {
  const { reservedConcurrency, throttles } = props;
  const told = [
    ...Object.keys(reservedConcurrency).map((name) => `\`reservedConcurrency.${name}\``),
    ...Object.keys(throttles).map((operation) => `\`throttles.${operation}\``),
  ];
  return services === 1
    ? [...told, ...quotas]
    : [`${services} lock services each with ${told.join(' and ')}`, ...quotas];
}

function servicesFor(...requestsPerSecond: readonly number[]): number {
  return Math.max(1, ...requestsPerSecond.map((each) => Math.ceil(each / quotas.apiRequests.value)));
}

// Beside waits, in half of the slots, and looks: that leaves renewals and releases what the construct insists on.
function slotsForTries(perSecond: number): number {
  const { inspect, list, break: breaks } = ordinary;
  const attempts = { ...ordinary.try, requestsPerSecond: Math.max(perSecond, ordinary.try.requestsPerSecond) };
  const taken = [attempts, inspect, list, breaks].reduce((all, throttle) => all + slotsAtOnce(throttle), 0);
  return taken / (othersShare - waitsShare);
}

/** Throttles above what they are by themselves. Whatever takes locks takes renewals and releases with it. */
function raised(
  asked: Readonly<Partial<Record<Operation, number>>>,
  concurrency: Concurrency,
): Advice['props']['throttles'] {
  const defaults = Object.entries(defaultThrottles(concurrency)) as [Operation, Throttle][];
  const taking = Math.max(asked.try ?? 0, asked.acquire ?? 0);
  const wanted = {
    ...asked,
    renew: Math.max(asked.renew ?? 0, taking),
    release: Math.max(asked.release ?? 0, taking),
  };
  return Object.fromEntries(
    defaults.flatMap(([operation, { requestsPerSecond, burst }]) => {
      const perSecond = wanted[operation] ?? 0;
      return perSecond > requestsPerSecond ? [[operation, { requestsPerSecond: perSecond, burst }]] : [];
    }),
  );
}

function quotasFor(requests: number, slots: number): string[] {
  return [
    ...(requests > quotas.apiRequests.value ? ['API requests'] : []),
    ...(slots > quotas.concurrency.value ? ['slots'] : []),
  ];
}
