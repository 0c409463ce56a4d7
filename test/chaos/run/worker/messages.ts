/** What a worker is to do: the arguments of its program, as JSON. */
export interface WorkerTask {
  /** Its name in the history. */
  readonly name: string;
  readonly seed: number;
  readonly connection:
    | { readonly kind: 'http'; readonly url: string }
    | { readonly kind: 'embedded'; readonly endpoint: string; readonly table: string };
  /** Where the registers and counters are: a DynamoDB and a table of it. */
  readonly resource: { readonly endpoint: string; readonly table: string };
  /** Wanted all the time. */
  readonly lockIds: readonly string[];
  /** Wanted in its season only, at rest else. */
  readonly seasonalLockId: string;
  readonly isSeason: boolean;
  readonly flows: number;
  readonly leaseMs: number;
  readonly historyFile: string;
}

/** Where a flow of a worker is. */
export type Presence = 'holding' | 'waiting';

/** What a worker is told. */
export type WorkerCommand =
  /** Report as soon as a flow holds a lock, or waits for one. */
  | { readonly kind: 'tell-when'; readonly presence: Presence }
  /** Run nothing at all for so long. */
  | { readonly kind: 'block'; readonly ms: number }
  /** The season of the seasonal lock begins or ends. */
  | { readonly kind: 'season'; readonly isSeason: boolean }
  /** Begin nothing new. */
  | { readonly kind: 'finish' }
  /** Dispose the factory, say what is left, and end by itself. */
  | { readonly kind: 'dispose' };

/** What a worker reports. */
export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'present'; readonly presence: Presence }
  /** Every operation that it had begun has ended. */
  | { readonly kind: 'finished' }
  | { readonly kind: 'disposed' };
