/** Where the locks of a run are: one database, and for those that need it an API before it. */
export interface Ground {
  /** Of the database: dynalite or DynamoDB Local, or a counting proxy before it. */
  readonly endpoint: string;
  /** Holdfast's table; each rival has one of its own, with the key that it wants. */
  readonly table: string;
  /** Holdfast's API over that table. */
  readonly url: string;
}

/** A hold, as the system under measurement gives it. */
export interface Held {
  /** Absent where the system has none. */
  readonly fencingToken?: string;
  release(): Promise<void>;
}

/** What one process has of a lock system. */
export interface LockClient {
  /** Waits until the lock is mine, however long that takes. The floor does not wait: it rejects. */
  lock(lockId: string): Promise<Held>;
  /** Builds what locking these ids will send, once for each time that an id stands there: outside of what is measured. */
  prepare?(lockIds: readonly string[]): void;
  /** Closes connections and ends timers. */
  close(): Promise<void>;
}

/** What a workload sets in place of a system's own settings, where the system has such a setting. */
export interface Tuning {
  /** How long a lease lasts that is not renewed, milliseconds: the same for all, where they are to be compared by it. */
  readonly leaseMs?: number;
  /** How often whoever waits looks, milliseconds: what makes one send as many requests as another. */
  readonly pollMs?: number;
}

/** One thing that is measured, in one of its settings. */
export interface LockSystem {
  /** As it stands in tables: the name, and the settings where there are several. */
  readonly name: string;
  /** What it is: Holdfast, what it is measured against, or the least that anything could take. */
  readonly kind: 'holdfast' | 'rival' | 'floor';
  /** What it stands beside: a floor and systems on the same AWS SDK. */
  readonly sdk: 'v2' | 'v3' | 'http';
  /** Its settings in words, for the report. */
  readonly settings: string;
  /** How long those who wait do nothing, by its settings, where that is so long that only few hand-overs can be measured. */
  readonly waitsMs?: number;
  /** After which part of a lease it renews it; nothing where it has no lease. */
  readonly renewsAfterPart?: number;
  /** What of {@link Tuning} it takes: without a name here, it has no such setting. */
  readonly tunes?: readonly (keyof Tuning)[];
  connect(ground: Ground, tuning?: Tuning): Promise<LockClient>;
}
