import type { LockItem } from '../../../lambda/service/lock-item.ts';
import type { HoldOptions, LockFactory } from '../../../sdk/index.ts';
import type { Network } from './network.ts';
import type { RivalProcess } from './rival-process.ts';

/** What every backend takes. */
export interface ConnectOptions extends HoldOptions {
  readonly prefix?: string;
  readonly unreachableAfterMs?: number;
}

/** A factory, and what lies between it and its backend. */
export interface Connected {
  readonly locks: LockFactory;
  readonly network: Network;
}

/** A backend, and a way behind its back to what it keeps. */
export interface BackendUnderTest {
  /** A factory as another process would have it: a line of its own, on the same locks. */
  connect(options?: ConnectOptions): LockFactory;
  /** The same, over a network of its own that can fail. */
  connectOver(options?: ConnectOptions): Promise<Connected>;
  /** Whether requests leave this process: then tests of many rounds make fewer. */
  readonly isRemote: boolean;
  /** How often a waiter looks at the most, by itself. */
  readonly looksPerSecond: number;
  /** A process of its own; nothing where locks are not shared between processes. */
  readonly startRival: (() => Promise<RivalProcess>) | undefined;
  /** The item of a lock as it is stored now. */
  rawItem(lockId: string): Promise<LockItem | undefined>;
  /** Puts items as they are. */
  seed(items: readonly LockItem[]): Promise<void>;
  /** Deletes the item of a lock, as its time to live would. */
  deleteItem(lockId: string): Promise<void>;
  /** Everything that the backend logged so far, at its most talkative level. */
  log(): string;
  close(): Promise<void>;
}

/** How tests get at the backend, which is there once they run. */
export type Under = () => BackendUnderTest;
