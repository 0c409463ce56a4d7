import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { claimUpdate } from '../../lambda/store/expressions/claim.ts';
import { releaseUpdate, transferUpdate } from '../../lambda/store/expressions/hold.ts';
import type { Update } from '../../lambda/store/expressions/update.ts';
import { newOwnerToken } from '../../sdk/wire/owner-token.ts';

/** The very writes that the store sends for one hold of a lock that nobody else wants, in the order of sending. */
export interface HoldWrites {
  readonly claim: UpdateCommandInput;
  readonly release: UpdateCommandInput;
}

const leaseMs = 30_000;
const identity = { holder: `bench:${process.pid}`, principal: 'local' };

/** Builds the writes of one hold, by a new owner token. They can be sent for as long as no clock margin is in play. */
export function holdWrites(table: string, lockId: string): HoldWrites {
  const { me, claim, ttl } = begin(table, lockId);
  return { claim, release: input(table, lockId, releaseUpdate({ lockId, me, ttl })) };
}

/** The same with a hand-over to another owner of the same process between the two. */
export function transferredHoldWrites(table: string, lockId: string): HoldWrites & { transfer: UpdateCommandInput } {
  const { me, hold, claim, ttl } = begin(table, lockId);
  const heir = newOwnerToken();
  return {
    claim,
    transfer: input(table, lockId, transferUpdate({ ...hold, me, heir, identity })),
    release: input(table, lockId, releaseUpdate({ lockId, me: heir, ttl })),
  };
}

function begin(table: string, lockId: string) {
  const me = newOwnerToken();
  const now = Date.now();
  const ttl = Math.ceil(now / 1_000) + 604_800;
  const hold = { lockId, now, until: now + leaseMs, ttl };
  return { me, hold, ttl, claim: input(table, lockId, claimUpdate({ ...hold, me, cut: now - 500, identity })) };
}

function input(table: string, lockId: string, { operation: _operation, ...expressions }: Update): UpdateCommandInput {
  return {
    TableName: table,
    Key: { lockId },
    ...expressions,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}
