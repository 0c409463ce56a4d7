import type { Place } from '../bench/place.ts';

/** What a worker of a soak does. */
export interface WorkerTask {
  readonly name: string;
  readonly place: Place;
  readonly seed: number;
  /** The file of the counter; nothing: it takes the counter's lock, and counts nothing. */
  readonly counterFile?: string | undefined;
}

export type WorkerCommand =
  /** Collect garbage and tell what is in use. */
  | { readonly kind: 'tell' }
  /** Begin nothing more, give everything back, and end. */
  | { readonly kind: 'end' };

/** What a worker did since it began. */
export interface Work {
  /** Additions to the counter that were done. */
  readonly counted: number;
  /** Locks that it took, in every way. */
  readonly holds: number;
  /** What went wrong, by the name of the error. */
  readonly errors: Readonly<Record<string, number>>;
}

export type WorkerReport =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'told'; readonly heapMiB: number; readonly timers: number } & Work)
  | ({ readonly kind: 'ended' } & Work);
