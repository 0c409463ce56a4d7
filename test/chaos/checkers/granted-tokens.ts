import type { HistoryEvent } from '../history.ts';

/** An owner token that had a grant. */
export interface GrantedToken {
  readonly lockId: string;
  /** Its hash. */
  readonly owner: string;
  readonly fencingToken: number;
}

/** Which owner token had which grant, from one event: a reply to it or to whoever passed the lock on, or a stored item. */
export function grantedTokens(event: HistoryEvent): GrantedToken[] {
  if (event.type === 'item') {
    const { owner, fence } = event.item ?? {};
    return owner === undefined || fence === undefined ? [] : [{ lockId: event.lockId, owner, fencingToken: fence }];
  }
  if (event.type !== 'exchange') return [];
  const { lockId, owner, heir, reply } = event;
  if (reply.kind === 'granted') return [{ lockId, owner, fencingToken: reply.fencingToken }];
  if (reply.kind !== 'released' || heir === undefined || reply.heirFencingToken === undefined) return [];
  return [{ lockId, owner: heir, fencingToken: reply.heirFencingToken }];
}
