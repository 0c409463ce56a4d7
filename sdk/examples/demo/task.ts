/** What a worker process is told to do. */
export type Task = { readonly url: string; readonly prefix: string; readonly lockId: string } & (
  | {
      readonly kind: 'increments';
      readonly file: string;
      readonly count: number;
      readonly pauseMs: number;
      readonly locked: boolean;
    }
  | { readonly kind: 'hold'; readonly leaseMs: number }
);

/** What it reports. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly done: number }
  | {
      readonly kind: 'holding';
      readonly fencingToken: number;
      /** Just before it asked for the lock, and just after it had it: epoch milliseconds of this machine. */
      readonly askedAtMs: number;
      readonly heldAtMs: number;
    };
