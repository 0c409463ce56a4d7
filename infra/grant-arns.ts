import { Token } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { encodeLockId, lockIdFault } from '../sdk/wire/lock-id.ts';
import { fillPath, type Operation, routes } from '../sdk/wire/routes.ts';
import { refusal } from './refusal.ts';

/** What may be granted, named as the methods of the construct. */
export type GrantKind = 'grantUse' | 'grantRead' | 'grantAdmin';

/** What each grant lets a principal do to a lock. */
const lockOperations: Readonly<Record<GrantKind, readonly Operation[]>> = {
  grantUse: ['try', 'acquire', 'renew', 'release', 'inspect'],
  grantRead: ['inspect'],
  grantAdmin: ['break'],
};

/**
 * The resources of a policy that grants something on every lock, or on those whose ids begin with a prefix.
 *
 * In IAM `*` crosses slashes and may stand for nothing. Hence each pattern ends in its operation, and a lock id without a
 * prefix is `?*`, at least one character. The patterns of CDK's own `route.grantInvoke` end in a bare `*`: do not use it
 * here. Looking at a lock has no operation to end in: its pattern is of another method than whatever changes a lock.
 *
 * The list shows every lock, so it goes with the grant for administrators that has no prefix.
 *
 * @param stageName the stage that serves the API, such as `$default`
 * @throws Error when the prefix cannot begin a lock id
 */
export function grantArns(
  kind: GrantKind,
  api: Pick<IHttpApi, 'arnForExecuteApi'>,
  stageName: string,
  prefix?: string,
): string[] {
  const arnOf = (operation: Operation, segment: string) =>
    api.arnForExecuteApi(routes[operation].method, fillPath(routes[operation], segment), stageName);
  const segments = prefix === undefined ? ['?*'] : segmentsOf(checkPrefix(kind, prefix));
  const arns = lockOperations[kind].flatMap((operation) => segments.map((segment) => arnOf(operation, segment)));
  return kind === 'grantAdmin' && prefix === undefined ? [...arns, arnOf('list', '')] : arns;
}

// An id is escaped byte by byte, so what begins with the prefix is spelled with the escaped prefix at its beginning, and
// nothing else is. But for dots: an id that has nothing else is escaped, one that has is not.
function segmentsOf(prefix: string): string[] {
  const escaped = encodeLockId(prefix);
  return /^\.+$/.test(prefix) ? [`${escaped}*`, `${prefix}?*`] : [`${escaped}*`];
}

function checkPrefix(kind: GrantKind, prefix: string): string {
  if (Token.isUnresolved(prefix)) {
    throw refusal(
      `${kind}: prefix`,
      'must be known at synthesis',
      prefix,
      'Write the text itself: it is escaped for the policy before the stack is deployed.',
    );
  }
  const fault = lockIdFault(prefix);
  if (fault) throw new Error(`${kind}: prefix ${fault}. Leave it out to grant every lock.`);
  return prefix;
}
