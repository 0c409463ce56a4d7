import { StoreUnavailableError } from './lock-store.ts';
import type { RenewOutcome } from './outcomes.ts';
import { type AttemptRequest, decisionRounds, type Rules } from './rules.ts';

/** Extends the lease, or confirms a provisional grant. Never creates an item, never touches a successor. */
export async function renew(rules: Rules, request: AttemptRequest): Promise<RenewOutcome> {
  const { lockId, ownerToken: me, leaseMs, identity } = request;
  for (let round = 0; round < decisionRounds; round++) {
    const now = rules.now();
    const until = now + leaseMs;
    const { written, item } = await rules.store.renew({ lockId, me, until, identity, ttl: rules.ttl(until) });
    if (item?.owner !== me) return rules.lost(item, me);
    // Refused although it is mine for longer: a later renewal got through first.
    if (written || (item.until ?? 0) >= until) return rules.granted(item, request, now);
    // It became mine between the refusal and the look at it.
  }
  throw new StoreUnavailableError('the hold changed at every attempt to renew it');
}
