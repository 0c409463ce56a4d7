import type { LockItem } from './lock-item.ts';

/** What a write did. A refusal brings the item that refused it, or nothing where there is no item. */
export type WriteResult =
  | { readonly written: true; readonly item: LockItem }
  | {
      readonly written: false;
      readonly item: LockItem | undefined;
      /** The store tried more than once by itself: an earlier try may have been applied and its reply lost. */
      readonly repeated?: true;
    };

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

/** The item that a decision was made from: the write is refused once it changed. */
export interface Pinned {
  readonly rev: number;
  readonly fence: number;
}

/** A place in line, by whoever stands before it: nobody can come between. */
export interface Place {
  /** Owner tokens of those before, first come first; their places go with this one. */
  readonly before: readonly string[];
}

export interface ClaimAsHead extends Claim, Place {
  /** Those before me whose tickets must have ended by `over`; the others let their claim window pass. */
  readonly skipped: readonly string[];
  /** The lease must have ended by this: `cut`, less one claim window for each waiter before me who may still come. */
  readonly over: number;
}

export type ClaimPast = Claim & Pinned;

export interface Join {
  readonly lockId: string;
  readonly me: string;
  /** Until when my place is valid. */
  readonly ticketEnd: number;
  /** How many may stand in line. */
  readonly lineLimit: number;
}

export type KeepTicket = Omit<Join, 'lineLimit'>;

export interface Leave {
  readonly lockId: string;
  readonly me: string;
  /** My index in the queue, from 0. */
  readonly place: number;
}

/** The waiter that the lock is handed to, provisionally. Everybody before it has let its ticket end. */
export interface Next extends Place {
  readonly owner: string;
  readonly now: number;
  /** End of its claim window. */
  readonly until: number;
}

export interface HandOver extends Guarded {
  readonly next: Next;
  /** The tickets of those before must have ended by this. */
  readonly cut: number;
}

export type ReleasePast = Release & Pinned;

export interface Transfer extends Guarded {
  readonly heir: string;
  /** Also while others stand in line: the heir is nobody new, but the holder itself under another token. */
  readonly whileAwaited?: boolean | undefined;
  readonly now: number;
  readonly until: number;
  readonly identity: Identity;
}

/** Breaks exactly the hold that was looked at: this owner's, of this fencing token. */
export interface Break {
  readonly lockId: string;
  readonly victim: string;
  readonly fence: number;
  readonly ttl: number;
  /** The revision of the line that was looked at; absent when nobody stood in it. */
  readonly rev?: number | undefined;
  /** The first waiter whose ticket is valid; nobody: whoever stands in line has let its ticket end, and the line goes. */
  readonly next?: Next | undefined;
}

/**
 * Removes the item of a lock that has long been at rest, exactly as it was looked at. Nobody holds it, nobody stands in
 * line, and whatever is made anew in its place starts with a fencing token above its last one: that lies before `before`,
 * and new ones start at the clock.
 */
export interface Removal extends Pinned {
  readonly lockId: string;
  /** Epoch milliseconds, long ago: a lease must have ended, and the last fencing token been given out, before this. */
  readonly before: number;
  /** Epoch seconds: the item's `ttl` must have passed by this. */
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
  claimAsHead(claim: ClaimAsHead): Promise<WriteResult>;
  claimPast(claim: ClaimPast): Promise<WriteResult>;
  join(join: Join): Promise<WriteResult>;
  keepTicket(ticket: KeepTicket): Promise<WriteResult>;
  leave(leave: Leave): Promise<WriteResult>;
  renew(renew: Renew): Promise<WriteResult>;
  release(release: Release): Promise<WriteResult>;
  handOver(handOver: HandOver): Promise<WriteResult>;
  releasePast(release: ReleasePast): Promise<WriteResult>;
  transfer(transfer: Transfer): Promise<WriteResult>;
  breakHold(hold: Break): Promise<WriteResult>;
  /** A removal that was written brings the item as it was. */
  remove(removal: Removal): Promise<WriteResult>;
  read(lockId: string, options: { consistent: boolean }): Promise<LockItem | undefined>;
  list(query: ListQuery): Promise<ListResult>;
}

/** The store gave no usable answer: a write may or may not have happened. Repeating it with the same token is safe. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError' as const;
  /** Whether the store said anything at all, such as that it is throttled. */
  readonly answered: boolean;
  /** The store's id of the request. */
  readonly requestId: string | undefined;

  constructor(message: string, reply: { answered?: boolean; requestId?: string | undefined } = {}) {
    super(message);
    this.answered = reply.answered ?? true;
    this.requestId = reply.requestId;
  }
}

/** The store refused the call itself (rights, table, expression): nothing happened, and repeating it will not help. */
export class StoreFailedError extends Error {
  override name = 'StoreFailedError' as const;
  /** Whether the store does not authorize the caller. */
  readonly forbidden: boolean;
  /** The store's id of the request. */
  readonly requestId: string | undefined;

  constructor(message: string, reply: { forbidden?: boolean; requestId?: string | undefined } = {}) {
    super(message);
    this.forbidden = reply.forbidden ?? false;
    this.requestId = reply.requestId;
  }
}
