import type { LockItem } from './lock-item.ts';
import type { Identity, LockStore } from './lock-store.ts';
import { type Granted, type Held, type LeaseLost, type View, viewOf } from './outcomes.ts';
import type { Surroundings } from './surroundings.ts';
import type { Timing } from './timing.ts';

/** Who wants a lock, and for how long. */
export interface AttemptRequest {
  readonly lockId: string;
  readonly ownerToken: string;
  readonly leaseMs: number;
  readonly identity: Identity;
}

// A refusal is decided again from its item; each round needs another writer to have come between, so a few are plenty.
export const decisionRounds = 5;

/** What every operation of one service shares: its store, its time, and how items read as answers. */
export class Rules {
  constructor(
    readonly store: LockStore,
    readonly surroundings: Surroundings,
    readonly timing: Timing,
  ) {}

  now(): number {
    return this.surroundings.now();
  }

  /** A lease is over, and a ticket ended, when it ended at or before this. */
  cut(now = this.now()): number {
    return now - this.timing.clockSkewMs;
  }

  /** Seconds, as DynamoDB's time to live wants them: retention counts from the end of the lease. */
  ttl(until: number): number {
    return Math.ceil((until + this.timing.retentionMs) / 1_000);
  }

  granted(item: LockItem, { lockId, ownerToken, leaseMs }: Omit<AttemptRequest, 'identity'>, now: number): Granted {
    const provisional = item.principal === undefined;
    return {
      kind: 'granted',
      lockId,
      ownerToken,
      fencingToken: item.fence,
      leaseMs: provisional ? this.timing.claimWindowMs : leaseMs,
      until: item.until ?? now,
      now,
      provisional,
      waiters: item.queue.length,
    };
  }

  held(item: LockItem, retryAfterMs: number): Held {
    const now = this.now();
    const { holder, principal, until = now } = item;
    return {
      kind: 'held',
      ...(holder !== undefined && { holder }),
      ...(principal !== undefined && { principal }),
      expiresInMs: Math.max(0, until - now),
      waiters: item.queue.length,
      retryAfterMs: Math.ceil(retryAfterMs),
    };
  }

  lost(item: LockItem | undefined, me: string): LeaseLost {
    if (item === undefined) return { kind: 'lease-lost', reason: 'absent' };
    return { kind: 'lease-lost', reason: item.broken === me ? 'broken' : 'superseded' };
  }

  view(lockId: string, item: LockItem | undefined): View {
    const now = this.now();
    return viewOf(lockId, item, now, this.cut(now));
  }

  /** A random time around `ms`: half as long to half again as long. Waiters must not move in step. */
  jittered(ms: number): number {
    return ms * (0.5 + this.surroundings.random());
  }
}
