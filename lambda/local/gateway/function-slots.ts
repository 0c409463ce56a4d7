import type { FunctionName } from '../../../sdk/wire/routes.ts';
import { type Concurrency, sharedConcurrency } from '../../throttles.ts';
import type { LambdaHandler } from './invocation.ts';

/**
 * The slots that functions run in. A function with a reservation has those slots and no others; the rest share what is
 * left. Nobody waits for a slot.
 */
export class FunctionSlots {
  readonly #free = new Map<FunctionName | 'shared', number>();

  /** @param concurrency nothing: no limit */
  constructor(concurrency: Concurrency | undefined) {
    if (!concurrency) return;
    for (const [name, slots] of Object.entries(concurrency.reserved)) this.#free.set(name as FunctionName, slots);
    this.#free.set('shared', sharedConcurrency(concurrency));
  }

  /**
   * Takes a slot for one invocation of a function.
   *
   * @returns the handler, to be called once: the slot is its own until it has ended, whoever still waits for it; nothing
   *   when no slot is free
   */
  occupy(name: FunctionName, handler: LambdaHandler): LambdaHandler | undefined {
    const pool = this.#free.has(name) ? name : 'shared';
    const free = this.#free.get(pool);
    if (free === undefined) return handler;
    if (free === 0) return undefined;
    this.#free.set(pool, free - 1);
    return async (event, context) => {
      try {
        return await handler(event, context);
      } finally {
        this.#free.set(pool, (this.#free.get(pool) ?? 0) + 1);
      }
    };
  }
}
