import type { Ground, Tuning } from '../lock-system.ts';
import type { Ask, Hold } from './hold.ts';

/** What a process of contenders is started with. */
export interface ContenderPlace {
  /** Name of the system that it connects to. */
  readonly system: string;
  readonly ground: Ground;
  readonly tuning: Tuning;
  readonly contenders: readonly number[];
  /** Whether all of them use one client; else each has a client of its own. */
  readonly shared: boolean;
}

/** What it is told. */
export type ContenderCommand =
  /** Each asks, holds, releases and asks again, until the time is over. */
  | {
      readonly kind: 'contend';
      readonly lockId: string;
      readonly holdMs: number;
      /** Whether whoever released asks again only when another has got the lock: then every grant is a hand-over. */
      readonly rests: boolean;
      /** When the first one begins, by {@link hostMs}; the others follow, one step after the other, in the order of their numbers. */
      readonly fromMs: number;
      readonly stepMs: number;
      readonly untilMs: number;
    }
  /** A contender of another process got the lock. */
  | { readonly kind: 'elsewhere' }
  /** Each asks, and keeps it when it gets it. */
  | { readonly kind: 'take'; readonly lockId: string }
  /** What was taken is given back, and so is at once what is taken from now on. */
  | { readonly kind: 'give back' };

/** What it reports. */
export type ContenderReport =
  | { readonly kind: 'ready' }
  /** In a contest where they rest. */
  | { readonly kind: 'granted' }
  /** The time is over, and nobody here has a hold that counts. Who waits waits on. */
  | {
      readonly kind: 'done';
      readonly holds: readonly Hold[];
      readonly waiting: readonly Ask[];
      /** How often lock() or release() rejected, or something failed that nobody waits for. */
      readonly failed: number;
    }
  /** The first of what failed here. */
  | { readonly kind: 'failure'; readonly error: string }
  | { readonly kind: 'taken'; readonly contender: number; readonly askedMs: number; readonly grantedMs: number }
  /** Everybody has asked for the last time, and has given back what it got. */
  | { readonly kind: 'idle' };
