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
  /** Waits until the lock is mine, however long that takes. */
  lock(lockId: string): Promise<Held>;
  /** Closes connections and ends timers. */
  close(): Promise<void>;
}

/** One thing that is measured, in one of its settings. */
export interface LockSystem {
  /** As it stands in tables: the name, and the settings where there are several. */
  readonly name: string;
  /** What it stands beside: a floor and systems on the same AWS SDK. */
  readonly sdk: 'v2' | 'v3' | 'http';
  /** Its settings in words, for the report. */
  readonly settings: string;
  connect(ground: Ground): Promise<LockClient>;
}
