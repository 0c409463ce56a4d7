import { firstValid } from './line.ts';
import { StoreUnavailableError } from './lock-store.ts';
import type { BreakOutcome } from './outcomes.ts';
import { decisionRounds, type Rules } from './rules.ts';

/**
 * Takes the lock from the holder whose grant had this fencing token, and from nobody else. The first waiter whose ticket
 * is valid gets it. The fence grows, so that a resource which saw the next grant refuses the broken holder.
 */
export async function breakHold(
  rules: Rules,
  { lockId, fencingToken }: { lockId: string; fencingToken: number },
): Promise<BreakOutcome> {
  let item = await rules.store.read(lockId, { consistent: true });
  const victim = item?.owner;
  for (let round = 0; round < decisionRounds; round++) {
    if (item?.owner === undefined) return { kind: 'not-held' };
    // Never "decide again" on a new victim: whoever holds now was not looked at.
    if (item.fence !== fencingToken || item.owner !== victim) {
      return { kind: 'holder-changed', view: rules.view(lockId, item) };
    }
    const { fence, holder, principal } = item;
    const rev = item.queue.length > 0 ? item.rev : undefined;
    const now = rules.now();
    const until = now + rules.timing.claimWindowMs;
    const valid = firstValid(item, rules.cut(now));
    const next = valid && { ...valid, now, until };
    const ttl = rules.ttl(next ? until : now);
    const result = await rules.store.breakHold({ lockId, victim: item.owner, rev, fence, ttl, next });
    if (result.written || result.item?.broken === victim) {
      return {
        kind: 'broken',
        ...(holder !== undefined && { holder }),
        ...(principal !== undefined && { principal }),
        view: rules.view(lockId, result.item),
      };
    }
    item = result.item;
  }
  throw new StoreUnavailableError('the hold changed at every attempt to break it');
}
