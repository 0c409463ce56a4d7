/** What a waiter process is told. It has any number of waiters, each with a LockFactory of its own. */
export type WaiterCommand =
  | {
      readonly kind: 'lock';
      readonly waiter: number;
      readonly lockId: string;
      /** Unlocks by itself after so long; otherwise it holds until it is told. */
      readonly holdMs?: number;
    }
  | {
      readonly kind: 'unlock';
      readonly waiter: number;
      /** Whether it stands in line again at once. */
      readonly again: boolean;
    };

/** What it reports; times are those of {@link hostMs}. */
export type WaiterReport =
  | { readonly kind: 'ready' }
  /** lock() or unlock() rejected; only where it unlocks by itself, elsewhere the process ends. */
  | { readonly kind: 'failed'; readonly waiter: number; readonly error: string }
  | { readonly kind: 'granted'; readonly waiter: number; readonly fencingToken: number; readonly atMs: number }
  | {
      readonly kind: 'released';
      readonly waiter: number;
      readonly fencingToken: number;
      /** Just before unlock() was called, and just after it returned. */
      readonly askedAtMs: number;
      readonly atMs: number;
    };
