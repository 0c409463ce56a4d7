import { limits } from '../sdk/wire/limits.ts';
import type { FunctionName, Operation } from '../sdk/wire/routes.ts';

/** How many requests a route takes: a bucket that holds `burst` and is filled at a rate. */
export interface Throttle {
  /** What it takes for any length of time. A fraction is allowed: 0.5 is one request every two seconds. */
  readonly requestsPerSecond: number;
  /** What it takes at once, a whole number from 1. */
  readonly burst: number;
}

/** How many invocations may run at once. */
export interface Concurrency {
  /** All functions of the account together. */
  readonly account: number;
  /** What of that is set aside for one function, which also never gets more. */
  readonly reserved: Readonly<Partial<Record<FunctionName, number>>>;
}

/** The concurrency quota of an account in a Region, unless AWS has set another. New accounts have less, often 10. */
export const defaultAccountConcurrency = 1_000;

/** What the functions share that have none reserved for them. */
export function sharedConcurrency({ account, reserved }: Concurrency): number {
  return Object.values(reserved).reduce((left, slots) => left - slots, account);
}

/** How many acquire requests such a throttle lets wait at the same time, each for as long as a request may. */
export function waitsAtOnce({ requestsPerSecond, burst }: Throttle): number {
  return burst + (requestsPerSecond * limits.waitMs.max) / 1_000;
}

/** How many requests a second Lambda lets a slot take, so the most that keep a slot busy which ends each soon. */
export const requestsPerSlot = 10;

/** How many slots such a throttle lets requests take at the same time that end at once, as all but acquire do. */
export function slotsAtOnce({ requestsPerSecond, burst }: Throttle): number {
  return burst + requestsPerSecond / requestsPerSlot;
}

/** The most that waits may take of what they share with renewals and releases. */
export const waitsShare = 1 / 2;
/** The most that all other requests together may take of the slots that renewals and releases run in. */
export const othersShare = 7 / 8;
const attemptsShare = 1 / 4;
/** Of each route that takes locks, requests a second, however large the account: half of what renewals and releases have. */
const mostTaken = 1_000;

/** Slots that renewals and releases run in, and what others may take of them. */
export interface Sharing {
  readonly slots: number;
  /** How many of them each operation may take at the same time; those that run elsewhere are left out. */
  readonly taken: Readonly<Partial<Record<Operation, number>>>;
}

/** What such throttles let take the slots of renewals and releases. */
export function sharingOf(throttles: Readonly<Record<Operation, Throttle>>, concurrency: Concurrency): Sharing {
  const { lease, acquire, admin } = concurrency.reserved;
  const attempts = { try: slotsAtOnce(throttles.try) };
  if (lease !== undefined) return { slots: lease, taken: attempts };
  const looks = {
    inspect: slotsAtOnce(throttles.inspect),
    list: slotsAtOnce(throttles.list),
    break: slotsAtOnce(throttles.break),
  };
  return {
    slots: sharedConcurrency(concurrency),
    taken: {
      ...(acquire === undefined && { acquire: waitsAtOnce(throttles.acquire) }),
      ...attempts,
      ...(admin === undefined && looks),
    },
  };
}

/**
 * What each route takes unless a deployment says otherwise.
 *
 * A request for acquire may keep its slot for 20 s, and those that are let in within that time add up. So acquire is let
 * in so slowly that waits never take more than half of what they share with the lease function, whatever the clients do.
 * Attempts, which run in the lease function itself, take a quarter, and looks a part of the rest: an eighth is always
 * left. Renewals and releases are in nobody's way: they are short, and there are no more of them than locks that are
 * held.
 */
export function defaultThrottles(concurrency: Concurrency): Readonly<Record<Operation, Throttle>> {
  const { reserved } = concurrency;
  const shared = sharedConcurrency(concurrency);
  // For people. A page of the list is a scan.
  const rare = { requestsPerSecond: Math.min(5, shared / 20), burst: Math.min(5, wholeSlots(shared / 100)) };
  const looks = {
    inspect: { requestsPerSecond: Math.min(100, shared / 10), burst: Math.min(50, wholeSlots(shared / 20)) },
    list: rare,
    break: rare,
  };
  // In the smallest accounts looks take more than their part, for each route takes at least one request at once.
  const rest = shared * othersShare - Object.values(looks).reduce((all, look) => all + slotsAtOnce(look), 0);
  const attempts = Math.min(shared * attemptsShare, rest / 3);
  const waits = Math.min(shared * waitsShare, rest - attempts);
  return {
    acquire: reserved.acquire === undefined ? slowWaits(waits) : cappedWaits(reserved.acquire),
    try: reserved.lease === undefined ? sharedAttempts(attempts) : ownAttempts(reserved.lease),
    renew: { requestsPerSecond: 2_000, burst: 1_000 },
    release: { requestsPerSecond: 2_000, burst: 1_000 },
    ...looks,
  };
}

// A fifth of the slots at once, the rest over the length of a wait.
function slowWaits(slots: number): Throttle {
  const burst = Math.min(500, wholeSlots(slots / 5));
  return { requestsPerSecond: Math.min(mostTaken, rate((slots - burst) / (limits.waitMs.max / 1_000))), burst };
}

// They run in slots of their own, and those behind the first 8 in line are answered at once.
function cappedWaits(slots: number): Throttle {
  return { requestsPerSecond: Math.min(mostTaken, slots * 5), burst: Math.min(500, slots) };
}

// Three fifths of the slots at once, the rest by rate.
function sharedAttempts(slots: number): Throttle {
  const burst = Math.min(150, wholeSlots(slots * 0.6));
  return { requestsPerSecond: Math.min(mostTaken, rate((slots - burst) * requestsPerSlot)), burst };
}

// Three quarters of the slots, a third of that at once.
function ownAttempts(slots: number): Throttle {
  const burst = Math.min(250, wholeSlots(slots / 4));
  return { requestsPerSecond: Math.min(mostTaken, rate((slots * 0.75 - burst) * requestsPerSlot)), burst };
}

// Down to a thousandth, but not for a rounding error of the arithmetic.
function rate(perSecond: number): number {
  return Math.floor(perSecond * 1_000 + 1e-6) / 1_000;
}

function wholeSlots(slots: number): number {
  return Math.max(1, Math.floor(slots));
}
