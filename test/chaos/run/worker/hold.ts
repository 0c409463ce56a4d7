import type { Lease, Lock, LockScope } from '../../../../sdk/index.ts';
import { hostMs } from '../../../support/host-clock.ts';
import type { Remaining } from '../../operations.ts';

/** A hold of a lock, as its flow sees it. */
export type Hold = Pick<LockScope, 'isHeld' | 'remainingMs' | 'signal'>;

/** A hold that its flow gives back itself. */
export interface OwnHold extends Hold {
  release(): Promise<void>;
  /** Nothing where a hold cannot be renewed by hand. */
  readonly renew: (() => Promise<void>) | undefined;
}

export function holdOfLease(lease: Lease): OwnHold {
  return {
    get isHeld() {
      return lease.isHeld;
    },
    get remainingMs() {
      return lease.remainingMs;
    },
    signal: lease.signal,
    release: () => lease.release(),
    renew: () => lease.renew(),
  };
}

/** The hold that a handle has just got. */
export function holdOfHandle(lock: Lock): OwnHold {
  const { signal } = lock;
  if (!signal) throw new Error('a handle that was granted its lock has no hold');
  return {
    get isHeld() {
      return lock.isHeld;
    },
    get remainingMs() {
      return lock.toJSON().remainingMs ?? 0;
    },
    signal,
    release: () => lock.unlock(),
    renew: undefined,
  };
}

/** A look at what a hold has left: the clock first, so that a freeze in between hides nothing. */
export function remaining(hold: Hold): Remaining {
  const lookedAtMs = hostMs();
  return { lookedAtMs, remainingMs: hold.remainingMs };
}
