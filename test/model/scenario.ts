import type { Timing } from '../../lambda/service/timing.ts';
import type { Apply } from './store-call.ts';

/**
 * How a client asks.
 *
 * - `try`: once, without waiting
 * - `embedded`: the rules run in the client's own process and wait for ever; the client confirms
 * - `http`: requests that end by themselves and keep the place; the client confirms
 * - `plain`: one request that ends by itself and leaves the line; the service confirms
 */
export type Mode = 'try' | 'embedded' | 'http' | 'plain';

/** What can go wrong; each costs one of the scenario's faults. */
export type Fault =
  /** A write is applied, its reply lost, and the operation fails with an unknown outcome. */
  | 'reply lost'
  /** A write is applied, its reply lost, and the store's client sends it again within the same operation. */
  | 'sent again'
  /** The operation fails with an unknown outcome, and the write arrives later, or never. */
  | 'held up'
  /** A write is applied and answered, and arrives once more later, or never. */
  | 'duplicate'
  /** An eventually consistent read is answered from an earlier version. */
  | 'stale'
  /** The client is gone. What it asked over HTTP goes on without it. */
  | 'crash'
  /** The client stops waiting for an answer and repeats; what it asked goes on without it. */
  | 'time-out'
  /** The client gives up: its token is released while its request may still be under way. */
  | 'abort'
  /** An administrator breaks the hold. */
  | 'break';

export interface Scenario {
  readonly name: string;
  readonly clients: number;
  readonly modes: readonly Mode[];
  /** How often each client wants the lock. */
  readonly acquisitions: number;
  /** How often a holder may renew. */
  readonly renewals: number;
  readonly leaseMs: number;
  /** How long one `http` or `plain` request waits. */
  readonly waitMs: number;
  readonly timing: Timing;
  /** How far the hosts' clocks are ahead: each client's operations run on a host of its own. */
  readonly clocksMs: readonly number[];
  /** Whether each operation may run on any of the hosts instead. */
  readonly roaming?: boolean;
  /** Whether a holder that wants the lock once more may release with that acquisition as its heir. */
  readonly passesOn?: boolean;
  /** Whether every release looks first, as one does whose last answer showed waiters. */
  readonly looksFirst?: boolean;
  readonly faults: readonly Fault[];
  readonly faultBudget: number;
  /** How many ticks may pass while somebody who could go on does not. */
  readonly slowBudget: number;
  /** A write arrives at most this many ticks late. */
  readonly lateTicks: number;
  /** Whether an item at rest is deleted after its retention. */
  readonly deletion?: boolean;
  /** Whether a client that starts anew releases its old token. */
  readonly cleansUp?: boolean;
  /** Within how many ticks everybody who keeps trying must be done once the faults stop. */
  readonly calmTicks: number;
  /** How each action begins, in words, that comes before the exploration: to begin where it is interesting. */
  readonly prefix?: readonly string[];
  /** Whether only what the protocol promises is checked, and not how its operations keep it. */
  readonly promisesOnly?: boolean;
  /** The store, when it is not the memory store as it is. */
  readonly store?: Apply;
  /** Whether a strongly consistent read may see an earlier version too, as it must not. */
  readonly weakReads?: boolean;
  /** What the service believes of the times, when it is wrong. */
  readonly believedTiming?: Timing;
}
