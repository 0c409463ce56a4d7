import { limits } from '../../../sdk/wire/limits.ts';
import { encodeLockId } from '../../../sdk/wire/lock-id.ts';
import { fillPath, lockPath, type Route, routes } from '../../../sdk/wire/routes.ts';
import { hostileLockIds } from '../../support/hostile-lock-ids.ts';
import { type Check, found, type Setting } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import type { RawRequest } from '../raw-request.ts';
import { isGatewayAnswer, memberOf, problemOf, type Reply, shown } from '../reply.ts';
import { bodyOf } from './harmless-body.ts';

/** Which spelling of a path reaches which lock, and which reaches none. */
export function pathChecks({ deployment }: Setting): Check[] {
  const segment = encodeLockId(deployment.lockId('path'));
  return [
    {
      what: `looking at ${hostileLockIds.length} ids of every escape class`,
      expected: 'each its own lock, byte for byte',
      run: () => everyId(hostileLockIds, (lockId) => deployment.call('inspect', lockId)),
    },
    {
      what: 'locking ids of every escape class',
      expected: 'each its own lock, byte for byte, all held at once',
      run: () => lockAll(deployment),
    },
    ...Object.values(routes).map((route) => withSlash(deployment, route, segment)),
    ...['~2f', '~41', '~', '~ZZ', '~C3', '~7E~', '..', '~2E.'].map((spelling) => refusedSpelling(deployment, spelling)),
    refused(deployment, 'a percent-encoded slash in an id', `/v1/locks/${segment}%2Fx`),
    refused(deployment, 'a percent-encoded space in an id', `/v1/locks/${segment}%20x`),
    refused(deployment, 'a plus sign in an id', `/v1/locks/${segment}+x`),
    sameLock(deployment, 'a percent-encoded letter', `${segment}%41`, deployment.lockId('pathA')),
    sameLock(deployment, 'a percent-encoded tilde', `${segment}%7E2F`, deployment.lockId('path/')),
    sameLock(deployment, 'an encoded question mark', `${segment}%3Fx`, deployment.lockId('path')),
    refused(deployment, 'an escape that is malformed in an id', `/v1/locks/${segment}%ZZ`),
    refused(deployment, 'a path that goes up', `/v1/locks/x/../${segment}`),
    refused(deployment, 'a path that goes up, encoded', `/v1/locks/x%2F..%2F${segment}`),
    refused(deployment, 'a path that goes up to the list', '/v1/locks/../admin/locks'),
    refused(deployment, 'a path that goes up to the list, encoded', '/v1/locks/%2E%2E/admin/locks'),
    refused(deployment, 'a path with a segment of one dot', `/v1/./locks/${segment}`),
    refused(deployment, 'two slashes at the beginning', `//v1/locks/${segment}`),
    refused(deployment, 'two slashes in the middle', `/v1//locks/${segment}`),
    refused(deployment, 'no id', '/v1/locks/'),
    refused(deployment, 'an upper-case path', `/V1/LOCKS/${segment}`, [403, 404]),
    notFound(deployment, 'a route that does not exist', { method: 'GET', path: '/v1/nothing' }),
    notFound(deployment, 'a method that does not exist', { method: 'DELETE', path: `/v1/locks/${segment}` }),
    notFound(deployment, 'the root', { method: 'GET', path: '/' }),
  ];
}

async function everyId(
  lockIds: readonly string[],
  ask: (lockId: string) => Promise<Reply>,
): Promise<ReturnType<typeof found>> {
  const wrong: string[] = [];
  for (const lockId of lockIds) {
    const reply = await ask(lockId);
    if (reply.status !== 200 || memberOf(reply, 'lockId') !== lockId)
      wrong.push(`${shown(reply)} for ${encodeLockId(lockId).slice(0, 40)}`);
  }
  const got = wrong.length === 0 ? `${lockIds.length} of ${lockIds.length}` : wrong.slice(0, 3).join('; ');
  return found(wrong.length === 0, got);
}

async function lockAll(deployment: Deployment) {
  const lockIds = hostileLockIds
    .map((lockId) => deployment.lockId(lockId))
    .filter((lockId) => Buffer.byteLength(lockId) <= limits.lockIdBytes);
  const taken = new Map<string, Awaited<ReturnType<Deployment['try']>>['attempt']>();
  const finding = await everyId(lockIds, async (lockId) => {
    const { attempt, reply } = await deployment.try(lockId);
    taken.set(lockId, attempt);
    return reply;
  });
  for (const attempt of taken.values()) await deployment.release(attempt);
  return finding;
}

function withSlash(deployment: Deployment, route: Route, segment: string): Check {
  const path = `${fillPath(route, segment)}/`;
  return notFound(deployment, `${route.operation} with a slash at its end`, {
    method: route.method,
    path,
    ...bodyOf(route),
  });
}

function notFound(deployment: Deployment, what: string, request: RawRequest): Check {
  return {
    what,
    expected: '404 {"message":"Not Found"}',
    async run() {
      const reply = await deployment.send(request);
      const isJson = /^application\/json/.test(reply.headers['content-type'] ?? '');
      return found(isJson && isGatewayAnswer(reply, 404, 'Not Found'), shown(reply));
    },
  };
}

function refusedSpelling(deployment: Deployment, spelling: string): Check {
  const segment = spelling.startsWith('.') || spelling.endsWith('.') ? spelling : `x${spelling}`;
  return refused(
    deployment,
    `${segment} as an id, which is not canonical`,
    lockPath(routes.inspect, '').concat(segment),
    segment === '..' ? [400, 403, 404] : [400],
  );
}

/** A path that nothing answers with success. Which of the refusals it is may depend on the gateway. */
function refused(
  deployment: Deployment,
  what: string,
  path: string,
  statuses: readonly number[] = [400, 403, 404],
): Check {
  return {
    what,
    expected: `refused (${statuses.join(', ')})`,
    async run() {
      const reply = await deployment.send({ method: 'GET', path });
      const isRight =
        statuses.includes(reply.status) &&
        (reply.status !== 400 ||
          problemOf(reply)?.code === 'invalid-request' ||
          memberOf(reply, 'message') !== undefined);
      return found(isRight, shown(reply));
    },
  };
}

/** The gateway decodes a path before it is served: whatever is reached must be the lock that the decoded path names. */
function sameLock(deployment: Deployment, what: string, segment: string, lockId: string): Check {
  return {
    what: `${what} in an id`,
    expected: 'refused, or exactly the lock that the decoded path names',
    async run() {
      const reply = await deployment.send({ method: 'GET', path: `/v1/locks/${segment}` });
      const reached = memberOf(reply, 'lockId');
      if (reply.status !== 200) return found([400, 403, 404].includes(reply.status), shown(reply));
      return found(reached === lockId, reached === lockId ? '200, that lock' : '200, another lock');
    },
  };
}
