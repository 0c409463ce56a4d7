import { type Concurrency, defaultAccountConcurrency } from '../lambda/throttles.ts';
import type { FunctionName } from '../sdk/wire/routes.ts';
import { type Bounds, checkNamed, checkWholeNumber, refusal } from './refusal.ts';

/** Slots that are set aside for one function each, which then never gets more. Whole numbers from 1. */
export interface ReservedConcurrency {
  /**
   * For requests that wait for a lock. Eight for each lock that is much wanted are kept waiting at the same time.
   *
   * @default - none
   */
  readonly acquire?: number;
  /**
   * For tries, renewals and releases, at least 2: one that no try takes. A slot serves at most 10 requests a second.
   *
   * @default - none
   */
  readonly lease?: number;
  /**
   * For looking at locks, listing and breaking them.
   *
   * @default - none
   */
  readonly admin?: number;
}

export interface ConcurrencyProps {
  /**
   * The quota of concurrent executions that Lambda gives the account in this Region
   * (`aws lambda get-account-settings`, `ConcurrentExecutions`). The throttles go by it: set it where it is not 1,000.
   * A whole number from 10, which is what new accounts have.
   *
   * @default 1000
   */
  readonly accountConcurrency?: number;

  /**
   * Slots that are set aside for single functions. Renewals and releases need none to stay ahead of waiters, because
   * the throttles see to that; they do need some where other functions of the account may use up its quota.
   *
   * @default - none. Reserved concurrency needs 100 left unreserved; new accounts have a quota of 10
   */
  readonly reservedConcurrency?: ReservedConcurrency;
}

// What Lambda insists on leaving to functions without a reservation.
const leastUnreserved = 100;

/** Of an account: new ones have 10. */
export const concurrencyBounds: Bounds = { min: 10, max: 1_000_000 };
const most = concurrencyBounds.max;
/** Of a function: with 0 it would never run, and tries must leave a slot to renewals. */
export const reservationBounds: Readonly<Record<FunctionName, Bounds>> = {
  acquire: { min: 1, max: most },
  lease: { min: 2, max: most },
  admin: { min: 1, max: most },
};

/**
 * How many invocations may run at once.
 *
 * @throws Error when a number is none, or when more is reserved than Lambda allows
 */
export function concurrencyOf(props: ConcurrencyProps): Concurrency {
  const { accountConcurrency: account = defaultAccountConcurrency, reservedConcurrency = {} } = props;
  checkWholeNumber('accountConcurrency', account, concurrencyBounds);
  const reserved: Partial<Record<FunctionName, number>> = {};
  const names = Object.keys(reservationBounds) as FunctionName[];
  checkNamed('reservedConcurrency', reservedConcurrency, names, 'Leave it out for none.');
  for (const name of names) {
    const slots = (reservedConcurrency as ReservedConcurrency)[name];
    if (slots === undefined) continue;
    checkWholeNumber(`reservedConcurrency.${name}`, slots, reservationBounds[name]);
    reserved[name] = slots;
  }
  const sum = Object.values(reserved).reduce((all, slots) => all + slots, 0);
  if (sum > 0 && sum > account - leastUnreserved) {
    throw refusal(
      'reservedConcurrency',
      `must leave ${leastUnreserved} of accountConcurrency (${account}) unreserved, which Lambda needs`,
      `${sum} set aside`,
      'Reserve less, or have the quota of the account raised and set accountConcurrency to it.',
    );
  }
  return { account, reserved };
}
