import type { LockItem } from '../../lambda/service/lock-item.ts';
import type { WriteResult } from '../../lambda/service/lock-store.ts';
import { type Apply, type Argument, memoryStore, type Operation, type StoreCall } from './store-call.ts';
import { T0, tickMs } from './ticks.ts';

type Wrapped = (argument: Argument, item: LockItem | undefined, call: StoreCall) => WriteResult;

/** The memory store, one operation of it in another way. */
export function storeWith(operation: Operation, wrapped: Wrapped): Apply {
  return (call, item) => (call.operation === operation ? wrapped(call.argument, item, call) : memoryStore(call, item));
}

/** The memory store, one operation of it with other arguments. */
export function storeAsked(operation: Operation, asked: (argument: Argument, item: LockItem) => Argument): Apply {
  return storeWith(operation, (argument, item) =>
    memoryStore({ operation, argument: item ? asked(argument, item) : argument }, item),
  );
}

/** The memory store, where a ticket that has ended counts as one that ended long ago. */
export const forgetsEnded: Apply = (call, item) => {
  const { operation } = call;
  if (item === undefined || (operation !== 'read' && operation !== 'claimAsHead')) return memoryStore(call, item);
  const cut = call.argument.cut ?? T0 - tickMs;
  const tickets = Object.fromEntries(
    Object.entries(item.tickets).map(([waiter, end]) => [waiter, end <= cut ? 0 : end]),
  );
  const result = memoryStore(call, { ...item, tickets });
  return result.written || operation === 'read' ? result : { written: false, item };
};

/** The memory store, one operation of it as if nobody stood in line. */
export function storeBlindToLine(operation: Operation): Apply {
  return storeWith(operation, (_, item, call) => {
    const result = memoryStore(call, item && { ...item, queue: [], tickets: {} });
    if (!result.written) return { written: false, item };
    return item ? { written: true, item: { ...result.item, queue: item.queue, tickets: item.tickets } } : result;
  });
}

/** The memory store, one operation of it leaving the fence as it is. */
export function storeKeepingFence(operation: Operation): Apply {
  return storeWith(operation, (_, item, call) => {
    const result = memoryStore(call, item);
    return result.written && item ? { written: true, item: { ...result.item, fence: item.fence } } : result;
  });
}

/** The memory store, where a renewal that finds its token the owner changes nothing and is a grant all the same. */
export const trustsOwner: Apply = storeWith('renew', ({ me }, item, call) =>
  item?.owner === me && item !== undefined ? { written: true, item } : memoryStore(call, item),
);
