import type { Fault } from '../history.ts';
import type { Presence } from './worker/messages.ts';

/** What a fault of a process is about. */
export type ProcessFault =
  /** It stands still for longer than a lease, or is killed, as soon as one of its flows holds a lock or waits for one. */
  | { readonly kind: 'freeze-worker' | 'kill-worker'; readonly worker: number; readonly when: Presence }
  | { readonly kind: 'freeze-api' | 'kill-api'; readonly api: number }
  /** It is killed when the database has applied its next write, before it hears of that. */
  | { readonly kind: 'kill-api-mid-request'; readonly api: number }
  /** Its event loop does not turn. */
  | { readonly kind: 'block-worker'; readonly worker: number }
  | {
      readonly kind: 'step-clock';
      readonly of: 'worker' | 'api';
      readonly index: number;
      readonly clockOffsetMs: number;
    }
  | { readonly kind: 'restart-database' };

/** What a fault of the network does. */
export type NetworkFault = {
  readonly kind:
    | 'drop-request'
    | 'drop-reply'
    | 'delay'
    | 'black-hole'
    | 'mute'
    | 'duplicate'
    | 'error'
    | 'error-after'
    | 'throttle'
    | 'stale-read'
    | 'partition';
  /** Before the API, or before the database. */
  readonly layer: 'api' | 'database';
  /** Which of the layer's links, by number; `all`: each of them. */
  readonly link: number | 'all';
  /** Of the requests that meet it. */
  readonly share: number;
};

export type FaultKind = ProcessFault['kind'] | NetworkFault['kind'];

/** A fault of a schedule. */
export type FaultPlan = (ProcessFault | NetworkFault) & {
  /** Its id in the history. */
  readonly fault: string;
  /** From the beginning of the run, milliseconds. */
  readonly atMs: number;
  /** Of those that last, milliseconds. */
  readonly durationMs: number;
};

/** How a history calls each kind. */
export const historyKinds: Readonly<Record<FaultKind, Fault['kind']>> = {
  'freeze-worker': 'freeze',
  'kill-worker': 'kill',
  'freeze-api': 'freeze',
  'kill-api': 'restart',
  'kill-api-mid-request': 'restart',
  'block-worker': 'freeze',
  'step-clock': 'clock',
  'restart-database': 'restart',
  'drop-request': 'resets',
  'drop-reply': 'lost-replies',
  delay: 'delay',
  'black-hole': 'partition',
  mute: 'lost-replies',
  duplicate: 'duplicates',
  error: 'errors',
  'error-after': 'errors',
  throttle: 'throttling',
  'stale-read': 'stale-reads',
  partition: 'partition',
};
