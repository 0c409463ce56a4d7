import { randomBytes } from 'node:crypto';
import { encodeLockId } from '../../../sdk/wire/lock-id.ts';
import { lockPath, type Operation, routes } from '../../../sdk/wire/routes.ts';
import type { CredentialsProvider } from '../caller-credentials.ts';
import { type Check, found, type Setting, skipped } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { isForbidden, numberOf, type Reply, shown } from '../reply.ts';

const useOperations = ['try', 'acquire', 'renew', 'release', 'inspect'] as const satisfies readonly Operation[];
const allOperations = [...useOperations, 'list', 'break'] as const satisfies readonly Operation[];

/** What a principal may do that was granted one prefix: all of that, and nothing else. */
export function grantChecks({ deployment, use, read }: Setting): Check[] {
  return [...checksOf(deployment, 'use', use, useOperations), ...checksOf(deployment, 'read', read, ['inspect'])];
}

function checksOf(
  deployment: Deployment,
  kind: 'use' | 'read',
  by: CredentialsProvider | undefined,
  granted: readonly Operation[],
): Check[] {
  if (!by) return [notGiven(kind)];
  const inside = deployment.lockId('granted');
  // Of no prefix that the run could have been given: ids of the run begin with that one.
  const outside = `holdfast-outside-${randomBytes(6).toString('hex')}`;
  return [
    ...(kind === 'use' ? [wholeUse(deployment, by, inside)] : [lookInside(deployment, by, inside)]),
    ...allOperations
      .filter((operation) => !granted.includes(operation))
      .map((operation) => refused(deployment, `${kind} role: ${operation} within its prefix`, operation, inside, by)),
    ...granted.map((operation) =>
      refused(deployment, `${kind} role: ${operation} outside its prefix`, operation, outside, by),
    ),
    ...disguises(inside, outside).map(([what, method, path]) =>
      neverServed(deployment, `${kind} role: ${what}`, method, path, by),
    ),
  ];
}

function notGiven(kind: 'use' | 'read'): Check {
  return {
    what: `what a role may do that has only ${kind} on a prefix`,
    expected: 'its prefix and nothing else',
    run: async () => skipped(`give --${kind}-role or --${kind}-profile, and --lock-prefix`),
  };
}

function wholeUse(deployment: Deployment, by: CredentialsProvider, lockId: string): Check {
  return {
    what: 'use role: try, renew, inspect, release, acquire, release within its prefix',
    expected: '200 each',
    async run() {
      const { attempt, reply } = await deployment.try(lockId, { by });
      const { ownerToken } = attempt;
      const replies: Reply[] = [reply];
      replies.push(await deployment.call('renew', lockId, { ownerToken, leaseMs: 60_000 }, { by }));
      replies.push(await deployment.call('inspect', lockId, undefined, { by }));
      replies.push(await deployment.release(attempt, { by }));
      const next = deployment.attempt(lockId);
      const message = { ownerToken: next.ownerToken, leaseMs: 60_000, waitMs: 1_000 };
      replies.push(await deployment.call('acquire', lockId, message, { by }));
      replies.push(await deployment.release(next, { by }));
      return found(
        replies.every(({ status }) => status === 200),
        replies.map(shown).join(', '),
      );
    },
  };
}

function lookInside(deployment: Deployment, by: CredentialsProvider, lockId: string): Check {
  return {
    what: 'read role: inspect within its prefix',
    expected: '200',
    async run() {
      const reply = await deployment.call('inspect', lockId, undefined, { by });
      return found(reply.status === 200, shown(reply));
    },
  };
}

function refused(
  deployment: Deployment,
  what: string,
  operation: Operation,
  lockId: string,
  by: CredentialsProvider,
): Check {
  return {
    what,
    expected: '403 of the gateway',
    async run() {
      const reply = await deployment.call(operation, lockId, messageOf(deployment, operation, lockId), { by });
      return found(isForbidden(reply), shown(reply));
    },
  };
}

function messageOf(deployment: Deployment, operation: Operation, lockId: string): object | undefined {
  if (operation === 'inspect' || operation === 'list') return undefined;
  if (operation === 'break') return { fencingToken: 1 };
  const { ownerToken } = deployment.attempt(lockId);
  return operation === 'release' ? { ownerToken } : { ownerToken, leaseMs: 1_000 };
}

/**
 * Paths that begin as a granted one does, and mean something else to whoever decodes or tidies them. Whether IAM sees
 * a path before or after that is for this run to show.
 */
function disguises(inside: string, outside: string): [what: string, method: string, path: string][] {
  const own = encodeLockId(inside);
  const other = encodeLockId(outside);
  const list = routes.list.path;
  const breaking = lockPath(routes.break, inside);
  return [
    ['another lock by going up', 'POST', `/v1/locks/${own}/../${other}/try`],
    ['another lock by going up, encoded', 'POST', `/v1/locks/${own}%2F..%2F${other}/try`],
    ['a look at another lock by going up, encoded', 'GET', `/v1/locks/${own}%2F..%2F${other}`],
    ['the list by going up', 'GET', `/v1/locks/${own}/../..${list.slice(3)}`],
    ['the list by going up, encoded', 'GET', `/v1/locks/${own}%2F..%2F..%2Fadmin%2Flocks`],
    ['a break by going up', 'POST', `/v1/locks/${own}/../..${breaking.slice(3)}/try`],
    [
      'a break by going up, cut at a question mark',
      'POST',
      `/v1/locks/${own}%2F..%2F..${breaking.slice(3).replaceAll('/', '%2F')}%3F/try`,
    ],
    ['another lock behind two slashes', 'GET', `//v1/locks/${other}`],
    ['the list with a slash at its end', 'GET', `${list}/`],
  ];
}

function neverServed(
  deployment: Deployment,
  what: string,
  method: string,
  path: string,
  by: CredentialsProvider,
): Check {
  return {
    what,
    expected: 'refused (400, 403, 404)',
    async run() {
      const reply = await deployment.send(
        { method, path, ...(method === 'POST' && { body: '{"leaseMs":1000}' }) },
        { by },
      );
      const reached = Number.isNaN(numberOf(reply, 'fencingToken'))
        ? ''
        : ', a lock of another prefix was taken for 1 s';
      return found([400, 403, 404].includes(reply.status), `${shown(reply)}${reached}`);
    },
  };
}
