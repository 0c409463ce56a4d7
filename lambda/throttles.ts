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

/** The most that waits may take of what they share with renewals and releases. */
export const waitsShare = 0.5;

/**
 * The most attempts a second for each slot of the lease function: half of the 10 requests that Lambda lets a function
 * take.
 */
export const attemptsPerSlot = 5;

/**
 * What each route takes unless a deployment says otherwise.
 *
 * A request for acquire may keep its slot for 20 s, and those that are let in within that time add up. So acquire is let
 * in so slowly that waits never take more than half of what they share with the lease function, whatever the clients do.
 * Attempts run in the lease function itself, so they take at most half of what that can do. Renewals and releases are in
 * nobody's way: they are short, and there are no more of them than locks that are held.
 */
export function defaultThrottles(concurrency: Concurrency): Readonly<Record<Operation, Throttle>> {
  const { reserved } = concurrency;
  const shared = sharedConcurrency(concurrency);
  const leaseSlots = reserved.lease ?? shared;
  return {
    acquire: reserved.acquire === undefined ? slowWaits(shared * waitsShare) : cappedWaits(reserved.acquire),
    try: {
      requestsPerSecond: Math.min(1_000, leaseSlots * attemptsPerSlot),
      burst: Math.min(250, wholeSlots(leaseSlots / 4)),
    },
    renew: { requestsPerSecond: 2_000, burst: 1_000 },
    release: { requestsPerSecond: 2_000, burst: 1_000 },
    inspect: { requestsPerSecond: Math.min(100, shared / 10), burst: Math.min(50, wholeSlots(shared / 20)) },
    // For people. A page of the list is a scan.
    list: { requestsPerSecond: 5, burst: 5 },
    break: { requestsPerSecond: 5, burst: 5 },
  };
}

// A fifth of the slots at once, the rest over the length of a wait.
function slowWaits(slots: number): Throttle {
  const burst = Math.min(500, wholeSlots(slots / 5));
  return { requestsPerSecond: Math.max(0.1, (slots - burst) / (limits.waitMs.max / 1_000)), burst };
}

// They run in slots of their own, and those behind the first 8 in line are answered at once.
function cappedWaits(slots: number): Throttle {
  return { requestsPerSecond: Math.min(1_000, slots * attemptsPerSlot), burst: Math.min(500, slots) };
}

function wholeSlots(slots: number): number {
  return Math.max(1, Math.floor(slots));
}
