import type { CaughtBy, Mutant } from '../mutant.ts';
import { dynamodbStore } from './dynamodb-store.ts';
import { lockRules } from './lock-rules.ts';
import { memoryStore } from './memory-store.ts';
import { sdkWaiting } from './sdk-waiting.ts';

const explored: CaughtBy = { file: 'test/model/rules.test.ts', test: 'keeps the promises in every state' };
const compared = (test: string): CaughtBy => ({ file: 'test/contract/stores-agree.test.ts', test });
const interleaved: CaughtBy = {
  file: 'test/unit/sdk/interleavings.test.ts',
  test: 'never hold one lock at once, get growing fencing tokens, and leave it free',
};

/** The same faults as elsewhere, as the checkers notice them that look at many runs, made at random or explored. */
export const checkers: readonly Mutant[] = [
  again(memoryStore, 'handing on: the fence is not raised', explored),
  again(memoryStore, 'release: whoever the owner is', explored),
  again(memoryStore, 'renew: also to an earlier end', explored),
  again(memoryStore, 'claim: by a token that has had its lease', explored),
  again(memoryStore, 'keepTicket: also to an earlier end', compared('agree about keepTicket')),
  again(lockRules, 'the owner in an item is a grant', explored),
  again(lockRules, 'a take-over does not wait out the margin', explored),
  again(memoryStore, 'join: not idempotent', compared('agree about join')),
  again(dynamodbStore, 'renew: whoever the owner is', compared('agree about renew')),
  again(dynamodbStore, 'break: it counts as a release', compared('agree about breakHold')),
  again(memoryStore, 'transfer: the fence is not raised', interleaved),
  again(sdkWaiting, 'flows of one process get the lock in reverse', interleaved),
];

function again(area: readonly Mutant[], name: string, caughtBy: CaughtBy): Mutant {
  const mutant = area.find((each) => each.name === name);
  if (!mutant) throw new Error(`there is no mutant of this name: ${name}`);
  return { ...mutant, name: `${name} (a checker)`, caughtBy, slow: true };
}
