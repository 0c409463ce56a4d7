import type { LockItem } from '../../../lambda/service/lock-item.ts';
import type { Item } from '../history.ts';
import { ownerHash } from '../owner-hash.ts';

/** What a history tells of a lock's item: no owner token. */
export function itemOf(item: LockItem | undefined): Item['item'] {
  if (!item) return null;
  const { fence, rev, owner, until, principal, last, broken, queue, tickets } = item;
  return {
    fence,
    rev,
    ...(owner !== undefined && { owner: ownerHash(owner) }),
    ...(until !== undefined && { untilMs: until }),
    isProvisional: owner !== undefined && principal === undefined,
    ...(last !== undefined && { last: ownerHash(last) }),
    ...(broken !== undefined && { broken: ownerHash(broken) }),
    queue: queue.map(ownerHash),
    tickets: Object.fromEntries(Object.entries(tickets).map(([token, end]) => [ownerHash(token), end])),
  };
}
