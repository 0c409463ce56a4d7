import { isDeepStrictEqual } from 'node:util';
import type { Disturbances } from '../disturbances.ts';
import type { Finding } from '../finding.ts';
import type { Item } from '../history.ts';
import type { GrantedToken } from './granted-tokens.ts';

/**
 * What looks at one lock's item show, each held against the one before: every write counts `rev` up and none is undone,
 * a fencing token has one owner, and no lease is made shorter. An item that was deleted, as DynamoDB does it, begins anew
 * with a greater fencing token.
 *
 * @param deletions when an item of the lock was deleted
 */
export function storedStates(rule: string, items: readonly Item[], deletions: Disturbances): Finding[] {
  const findings: Finding[] = [];
  let before: Item | undefined;
  for (const item of items) {
    // A look that began while the other was under way may have seen the item earlier.
    if (before && before.atMs >= item.sentMs) continue;
    const isDeleted = before !== undefined && deletions.hit(item.lockId, before.sentMs, item.atMs);
    const why = before && (isDeleted ? afterDeletion(before, item) : contradiction(before, item));
    if (before && why) {
      findings.push({ rule, lockId: item.lockId, message: `the stored item ${why}`, events: [before, item] });
    }
    // What is gone says nothing of what came before it.
    if (item.item || !isDeleted) before = item;
  }
  return findings;
}

function afterDeletion({ item: before }: Item, { item }: Item): string | undefined {
  if (!before || !item || item.fence >= before.fence) return undefined;
  return `went back from fencing token ${before.fence} to ${item.fence} when it was deleted`;
}

function contradiction({ item: before }: Item, { item }: Item): string | undefined {
  if (!before) return undefined;
  if (!item) return 'is gone, and nobody deleted it';
  if (item.rev < before.rev) return `went back from rev ${before.rev} to ${item.rev}`;
  if (item.fence < before.fence) return `went back from fencing token ${before.fence} to ${item.fence}`;
  if (item.rev === before.rev) return isDeepStrictEqual(before, item) ? undefined : `changed without a new rev`;
  if (item.fence !== before.fence || item.owner === undefined) return undefined;
  if (item.owner !== before.owner) return `has another owner under the same fencing token ${item.fence}`;
  if (!before.isProvisional && (item.untilMs ?? 0) < (before.untilMs ?? 0)) return 'has a lease that was made shorter';
  return undefined;
}

/** Free items that another than their last holder gave back: `last` names who did. */
export function foreignReleases(rule: string, items: readonly Item[], grants: readonly GrantedToken[]): Finding[] {
  const holders = new Map(grants.map(({ fencingToken, owner }) => [fencingToken, owner]));
  const seen = new Set<number>();
  return items.flatMap((look) => {
    const { item, lockId } = look;
    if (!item || item.owner !== undefined || seen.has(item.fence)) return [];
    // A break counts the fencing token up and leaves `last` alone: no holder is known of it.
    const holder = holders.get(item.fence);
    if (holder === undefined || holder === item.last) return [];
    seen.add(item.fence);
    const message = `the hold with fencing token ${item.fence} was of owner ${holder}, and owner ${item.last} gave it back`;
    return [{ rule, lockId, message, events: [look] }];
  });
}
