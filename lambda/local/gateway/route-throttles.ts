import type { Operation } from '../../../sdk/wire/routes.ts';
import type { Throttle } from '../../throttles.ts';
import { TokenBucket } from './token-bucket.ts';

/** What the routes take, each by itself; one that is not named takes everything. */
export type Throttles = Readonly<Partial<Record<Operation, Throttle>>>;

/** Decides for each request whether its route takes it. One bucket for all clients of a route. */
export class RouteThrottles {
  readonly #buckets: ReadonlyMap<string, TokenBucket>;

  /** @param clock one that only goes forward, milliseconds */
  constructor(throttles: Throttles, clock: () => number) {
    this.#buckets = new Map(
      Object.entries(throttles).map(([operation, throttle]) => [operation, new TokenBucket(throttle, clock)]),
    );
  }

  take(operation: Operation): boolean {
    return this.#buckets.get(operation)?.take() ?? true;
  }
}
