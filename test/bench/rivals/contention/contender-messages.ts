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
      /** When the first one begins, by {@link hostMs}; the others follow, one step after the other, in the order of their numbers. */
      readonly fromMs: number;
      readonly stepMs: number;
      readonly untilMs: number;
    }
  /** Each asks, and keeps it when it gets it. */
  | { readonly kind: 'take'; readonly lockId: string };

/** What it reports. */
export type ContenderReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'taken'; readonly contender: number; readonly askedMs: number; readonly grantedMs: number }
  /** The time is over, and nobody here holds it. Who waits waits on. */
  | { readonly kind: 'done'; readonly holds: readonly Hold[]; readonly waiting: readonly Ask[] };
