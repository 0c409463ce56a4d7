import type { LockItem } from '../../lambda/service/lock-item.ts';
import { type AcquireRequest, type AttemptRequest, LockService } from '../../lambda/service/lock-service.ts';
import type { LockStore } from '../../lambda/service/lock-store.ts';
import { MemoryLockStore } from '../../lambda/store/memory-lock-store.ts';
import { type InterposedStore, type Interposition, interposed } from './interposed-store.ts';
import { T0 } from './lock-items.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface ServiceUnderTest {
  readonly service: LockService;
  readonly time: VirtualClock;
  /** The items behind the store. */
  readonly items: Map<string, LockItem>;
  /** The store that the service talks to, with its calls. */
  readonly store: InterposedStore;
  /** The same store for others: not interposed, its calls not counted. */
  readonly others: LockStore;
}

/** A lock service in virtual time over the memory store, beginning at {@link T0}. */
export function serviceUnderTest(
  options: { interposition?: Interposition; random?: () => number; items?: LockItem[] } = {},
): ServiceUnderTest {
  const items = new Map((options.items ?? []).map((item) => [item.lockId, item]));
  const others = new MemoryLockStore(items);
  const store = interposed(others, options.interposition);
  const time = new VirtualClock(T0);
  return { service: new LockService(store, time.surroundings(options.random)), time, items, store, others };
}

/** An attempt at lock `a` for 30 s. */
export function attemptOf(ownerToken: string, more: Partial<AttemptRequest> = {}): AttemptRequest {
  const identity = { holder: 'host-b', principal: 'arn:aws:iam::1:user/bob' };
  return { lockId: 'a', ownerToken, leaseMs: 30_000, identity, ...more };
}

/** An acquire of lock `a` for 30 s, waiting up to 20 s. */
export function acquireOf(ownerToken: string, more: Partial<AcquireRequest> = {}): AcquireRequest {
  return { ...attemptOf(ownerToken), waitMs: 20_000, confirm: false, ...more };
}
