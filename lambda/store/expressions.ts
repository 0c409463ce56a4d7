import type { ScanCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Break, Claim, Identity, ListQuery, Release, Renew } from '../service/lock-store.ts';

/** One guarded write, as DynamoDB takes it. */
export type Update = { readonly operation: 'claim' | 'renew' | 'release' | 'break' } & Required<
  Pick<
    UpdateCommandInput,
    'ConditionExpression' | 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
  >
>;

const attributes = [
  'owner',
  'until',
  'fence',
  'since',
  'holder',
  'principal',
  'last',
  'broken',
  'queue',
  'tickets',
  'rev',
  'ttl',
] as const;

// Several of the names are reserved words of DynamoDB, so every one is written with #. Unused ones are refused.
function namesIn(...expressions: string[]): Record<string, string> {
  const text = expressions.join(' ');
  return Object.fromEntries(
    attributes.filter((name) => new RegExp(`#${name}\\b`).test(text)).map((name) => [`#${name}`, name]),
  );
}

function update(
  operation: Update['operation'],
  guard: string,
  change: string,
  ExpressionAttributeValues: Record<string, unknown>,
): Update {
  return {
    operation,
    ConditionExpression: guard,
    UpdateExpression: change,
    ExpressionAttributeNames: namesIn(guard, change),
    ExpressionAttributeValues,
  };
}

// What a claim does to holder and principal: a provisional hold has neither, and a holder without a label does not
// inherit the last one's.
function claimIdentity(identity: Claim['identity']) {
  const absent = ['holder', 'principal'].filter((name) => identity?.[name as keyof Identity] === undefined);
  return { ...identityChange(identity), remove: absent.length > 0 ? ` REMOVE #${absent.join(', #')}` : '' };
}

function identityChange({ holder, principal }: Partial<Identity> = {}) {
  return {
    set: `${principal !== undefined ? ', #principal = :principal' : ''}${holder !== undefined ? ', #holder = :holder' : ''}`,
    values: {
      ...(principal !== undefined && { ':principal': principal }),
      ...(holder !== undefined && { ':holder': holder }),
    },
  };
}

/**
 * claim(me): a free lock without a line, by a token that has not had its lease yet, becomes mine.
 *
 * FREE is "no owner, or until ≤ cut": every take-over waits out the clock margin. On a missing attribute `<>` is true
 * and `≤` is false. `if_not_exists(fence, now)`: the fence starts at the clock's milliseconds, so that an item made
 * anew after deletion starts above every fencing token given out before. Queue and tickets are created here because
 * later expressions cannot create them.
 */
export function claimUpdate({ me, now, cut, until, identity, ttl }: Claim): Update {
  const change = claimIdentity(identity);
  return update(
    'claim',
    '(attribute_not_exists(#owner) OR #until <= :cut) AND attribute_not_exists(#queue[0]) AND #last <> :me AND #broken <> :me',
    `SET #owner = :me, #until = :until, #fence = if_not_exists(#fence, :now) + :one, #since = :now${change.set}, ` +
      '#tickets = if_not_exists(#tickets, :noTickets), #queue = if_not_exists(#queue, :nobody), ' +
      `#rev = if_not_exists(#rev, :zero) + :one, #ttl = :ttl${change.remove}`,
    {
      ':me': me,
      ':now': now,
      ':cut': cut,
      ':until': until,
      ':ttl': ttl,
      ':one': 1,
      ':zero': 0,
      ':noTickets': {},
      ':nobody': [],
      ...change.values,
    },
  );
}

/**
 * renew(me): while I am the owner, the lease gets longer; a provisional grant becomes whole.
 *
 * Without `until < newUntil` a late older renewal would shorten the lease and two could hold. Without "no principal" a
 * lease shorter than the rest of the claim window would never be confirmed; nobody counts on a provisional `until`.
 * There is no `until > now`: while the owner is still me, nobody else was granted anything. A renewal without a label
 * leaves the one that is there.
 */
export function renewUpdate({ me, until, identity, ttl }: Renew): Update {
  const change = identityChange(identity);
  return update(
    'renew',
    '#owner = :me AND (#until < :until OR attribute_not_exists(#principal))',
    `SET #until = :until${change.set}, #ttl = :ttl, #rev = #rev + :one`,
    { ':me': me, ':until': until, ':ttl': ttl, ':one': 1, ...change.values },
  );
}

const noHold = 'REMOVE #owner, #until, #since, #holder, #principal';

/** release(me): I am the owner and nobody stands in line. `last` makes a repeat find it done. */
export function releaseUpdate({ me, ttl }: Release): Update {
  return update(
    'release',
    '#owner = :me AND attribute_not_exists(#queue[0])',
    `SET #last = :me, #ttl = :ttl, #rev = #rev + :one ${noHold}`,
    { ':me': me, ':ttl': ttl, ':one': 1 },
  );
}

/**
 * break(victim, R): exactly the hold that was looked at ends. `rev` and `fence` see to "exactly"; `last` stays, `broken`
 * tells the victim why, and the fence grows so that a resource can refuse it.
 */
export function breakUpdate({ victim, rev, fence, ttl }: Break): Update {
  return update(
    'break',
    '#owner = :victim AND #rev = :rev AND #fence = :fence AND attribute_not_exists(#queue[0])',
    `SET #broken = :victim, #fence = #fence + :one, #ttl = :ttl, #rev = #rev + :one ${noHold}`,
    { ':victim': victim, ':rev': rev, ':fence': fence, ':ttl': ttl, ':one': 1 },
  );
}

type Filter = Pick<ScanCommandInput, 'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

/** Which of the examined items a listing keeps. */
export function stateFilter({ prefix, state, cut }: ListQuery): Filter {
  const conditions: string[] = [];
  const values: Record<string, unknown> = {};
  if (prefix !== '') {
    conditions.push('begins_with(lockId, :prefix)');
    values[':prefix'] = prefix;
  }
  if (state === 'free') conditions.push('attribute_not_exists(#owner)');
  if (state === 'held') conditions.push('attribute_exists(#owner) AND #until > :cut');
  if (state === 'over') conditions.push('attribute_exists(#owner) AND #until <= :cut');
  if (state === 'held' || state === 'over') values[':cut'] = cut;
  if (conditions.length === 0) return {};
  const FilterExpression = conditions.join(' AND ');
  const names = namesIn(FilterExpression);
  return {
    FilterExpression,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}
