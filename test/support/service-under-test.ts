import type { AcquireRequest } from '../../lambda/service/acquiring.ts';
import type { LockItem } from '../../lambda/service/lock-item.ts';
import { LockService } from '../../lambda/service/lock-service.ts';
import type { LockStore } from '../../lambda/service/lock-store.ts';
import type { AttemptRequest } from '../../lambda/service/rules.ts';
import type { Timing } from '../../lambda/service/timing.ts';
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
  /** When each call reached the store, milliseconds since {@link T0}, in order. */
  readonly timeline: readonly { readonly operation: keyof LockStore; readonly ms: number }[];
  /** The same store for others: not interposed, its calls not counted. */
  readonly others: LockStore;
}

export { embeddedTiming } from '../../lambda/service/timing.ts';

/** A lock service in virtual time over the memory store, beginning at {@link T0}. */
export function serviceUnderTest(
  options: { interposition?: Interposition; random?: () => number; items?: LockItem[]; timing?: Timing } = {},
): ServiceUnderTest {
  const items = new Map((options.items ?? []).map((item) => [item.lockId, item]));
  const others = new MemoryLockStore(items);
  const time = new VirtualClock(T0);
  const timeline: { operation: keyof LockStore; ms: number }[] = [];
  const store = interposed(others, {
    ...options.interposition,
    before(call) {
      timeline.push({ operation: call.operation, ms: time.now() - T0 });
      return options.interposition?.before?.(call);
    },
  });
  const service = new LockService(store, time.surroundings(options.random), options.timing);
  return { service, time, items, store, timeline, others };
}

/** What the service asked of its store, in order. */
export function operationsOf({ timeline }: ServiceUnderTest): (keyof LockStore)[] {
  return timeline.map(({ operation }) => operation);
}

/** When the service asked its store for something, milliseconds since {@link T0}. */
export function momentsOf({ timeline }: ServiceUnderTest, wanted: keyof LockStore): number[] {
  return timeline.filter(({ operation }) => operation === wanted).map(({ ms }) => ms);
}

/**
 * Lets eventually consistent reads answer with an older state of the lock, as long as `older` gives one, by how many of
 * them came before; `nothing`: the lock as it was before it was ever taken.
 */
export function answerStale(
  { store }: ServiceUnderTest,
  older: (index: number) => LockItem | 'nothing' | undefined,
): void {
  const read = store.read;
  let reads = 0;
  store.read = async (lockId, options) => {
    const fresh = await read(lockId, options);
    const item = options.consistent ? undefined : older(reads++);
    return item === 'nothing' ? undefined : (item ?? fresh);
  };
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
