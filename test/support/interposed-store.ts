import type { LockStore } from '../../lambda/service/lock-store.ts';

/** One call of a store. */
export interface StoreCall {
  readonly operation: keyof LockStore;
  readonly argument: unknown;
  /** How many calls of this operation came before. */
  readonly index: number;
}

/** What to do around each call; whatever it throws, the caller gets. */
export interface Interposition {
  /** Before the store is asked: throwing here means that nothing happened. */
  before?(call: StoreCall): Promise<void> | void;
  /** After the store has answered: throwing here loses the reply of what did happen. */
  after?(call: StoreCall): Promise<void> | void;
}

export interface InterposedStore extends LockStore {
  /** Every call so far, in order. */
  readonly calls: readonly StoreCall[];
}

/** A store with something between it and its caller: faults, delays, other writers. */
export function interposed(store: LockStore, { before, after }: Interposition = {}): InterposedStore {
  const calls: StoreCall[] = [];

  async function around<T>(operation: keyof LockStore, argument: unknown, ask: () => Promise<T>): Promise<T> {
    const call = { operation, argument, index: calls.filter((each) => each.operation === operation).length };
    calls.push(call);
    await before?.(call);
    const answer = await ask();
    await after?.(call);
    return answer;
  }

  return {
    calls,
    claim: (claim) => around('claim', claim, () => store.claim(claim)),
    claimAsHead: (claim) => around('claimAsHead', claim, () => store.claimAsHead(claim)),
    claimPast: (claim) => around('claimPast', claim, () => store.claimPast(claim)),
    join: (join) => around('join', join, () => store.join(join)),
    keepTicket: (ticket) => around('keepTicket', ticket, () => store.keepTicket(ticket)),
    leave: (leave) => around('leave', leave, () => store.leave(leave)),
    renew: (renew) => around('renew', renew, () => store.renew(renew)),
    release: (release) => around('release', release, () => store.release(release)),
    handOver: (handOver) => around('handOver', handOver, () => store.handOver(handOver)),
    releasePast: (release) => around('releasePast', release, () => store.releasePast(release)),
    transfer: (transfer) => around('transfer', transfer, () => store.transfer(transfer)),
    breakHold: (hold) => around('breakHold', hold, () => store.breakHold(hold)),
    remove: (removal) => around('remove', removal, () => store.remove(removal)),
    read: (lockId, options) => around('read', { lockId, ...options }, () => store.read(lockId, options)),
    list: (query) => around('list', query, () => store.list(query)),
  };
}
