import type { Backend } from './backend.ts';
import type { CleanUps } from './clean-ups.ts';
import type { Clocks } from './clocks.ts';
import type { EventListener } from './events.ts';
import type { Turns } from './turns.ts';

/** What the locks of one factory work with. */
export interface Connection {
  readonly backend: Backend;
  readonly clocks: Clocks;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly cleanUps: CleanUps;
  /** A renewal is sent when it has one. */
  readonly renewals: Turns;
  /** Give up after this long without any answer, milliseconds. */
  readonly unreachableAfterMs: number;
  readonly listener: EventListener | undefined;
}
