import type { LockItem } from './lock-item.ts';

/** What a write did. A refusal brings the item that refused it, or nothing where there is no item. */
export type WriteResult =
  | { readonly written: true; readonly item: LockItem }
  | { readonly written: false; readonly item: LockItem | undefined };

/** Who holds, for people; a provisional hold has none of it. */
export interface Identity {
  readonly holder?: string | undefined;
  readonly principal: string;
}

interface Guarded {
  readonly lockId: string;
  /** Owner token on whose behalf the operation runs. */
  readonly me: string;
  /** Epoch seconds after which the item may be deleted. */
  readonly ttl: number;
}

export interface Claim extends Guarded {
  readonly now: number;
  /** `now` less the clock margin: a lease is over when it ended at or before this. */
  readonly cut: number;
  readonly until: number;
  /** Absent: the grant is provisional. */
  readonly identity?: Identity | undefined;
}

export interface Renew extends Guarded {
  readonly until: number;
  readonly identity: Identity;
}

export type Release = Guarded;

/** Breaks exactly the hold that was looked at. */
export interface Break {
  readonly lockId: string;
  readonly victim: string;
  readonly rev: number;
  readonly fence: number;
  readonly ttl: number;
}

export interface ListQuery {
  readonly prefix: string;
  readonly state: 'held' | 'over' | 'free' | 'all';
  readonly cut: number;
  /** How many items to examine at the most. */
  readonly limit: number;
  /** Goes on behind the page that ended with this. */
  readonly after?: string | undefined;
}

export interface ListResult {
  readonly items: readonly LockItem[];
  /** Present while there is more to examine. */
  readonly next?: string;
}

/**
 * Where locks are kept. One method per operation of the protocol, each one conditional write or one read; each may be
 * repeated. Rejects with {@link StoreUnavailableError} or {@link StoreFailedError}, never with a library's own error:
 * those carry items, and items hold owner tokens.
 */
export interface LockStore {
  claim(claim: Claim): Promise<WriteResult>;
  renew(renew: Renew): Promise<WriteResult>;
  release(release: Release): Promise<WriteResult>;
  breakHold(hold: Break): Promise<WriteResult>;
  read(lockId: string, options: { consistent: boolean }): Promise<LockItem | undefined>;
  list(query: ListQuery): Promise<ListResult>;
}

/** The store gave no usable answer: a write may or may not have happened. Repeating it with the same token is safe. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError' as const;
}

/** The store refused the call itself (rights, table, expression): nothing happened, and repeating it will not help. */
export class StoreFailedError extends Error {
  override name = 'StoreFailedError' as const;
}
