import { limits } from '../../../sdk/wire/limits.ts';
import { type ProblemCode, problemStatuses, problemType } from '../../../sdk/wire/problems.ts';
import { lockPath, routes } from '../../../sdk/wire/routes.ts';
import { type Check, found, type Setting } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { memberOf, problemOf, type Reply, shown } from '../reply.ts';

/** What bodies are taken, and that every refusal is a problem of the contract. */
export function bodyChecks({ deployment }: Setting): Check[] {
  const long = JSON.stringify({ note: 'x'.repeat(limits.bodyBytes) });
  return [
    problem(deployment, `a body of more than ${limits.bodyBytes} bytes`, 'too-large', long),
    problem(deployment, 'a body that is text/plain', 'unsupported-media-type', '{}', { 'content-type': 'text/plain' }),
    problem(deployment, 'a body that is a form', 'unsupported-media-type', 'leaseMs=1000', {
      'content-type': 'application/x-www-form-urlencoded',
    }),
    problem(deployment, 'a body that is not JSON', 'invalid-request', '{"leaseMs":'),
    problem(deployment, 'a body that is not an object', 'invalid-request', '[]'),
    {
      what: 'a body with three faults',
      expected: '400 that lists each with its path',
      async run() {
        const reply = await post(deployment, JSON.stringify({ leaseMs: 1, ownerToken: 'short', colour: 'red' }));
        const paths =
          problemOf(reply)
            ?.errors?.map(({ path }) => path)
            .sort() ?? [];
        return found(
          paths.join(' ') === '/colour /leaseMs /ownerToken',
          `${shown(reply)}: ${paths.join(' ') || 'no list'}`,
        );
      },
    },
    problem(
      deployment,
      `a wait of more than ${limits.waitMs.max} ms`,
      'invalid-request',
      JSON.stringify({ waitMs: limits.waitMs.max + 1 }),
      {},
      'acquire',
    ),
    {
      what: 'a query that the list does not know',
      expected: '400 invalid-request that names it',
      async run() {
        const reply = await deployment.send({ method: 'GET', path: routes.list.path, query: 'colour=red' });
        const [fault] = problemOf(reply)?.errors ?? [];
        return found(fault?.path === 'query.colour', `${shown(reply)}: ${fault?.path ?? 'no list'}`);
      },
    },
    {
      what: 'a refusal’s headers',
      expected: 'problem+json, no-store, and the request id of the body in apigw-requestid',
      async run() {
        const reply = await post(deployment, '[]');
        const { headers } = reply;
        const requestId = problemOf(reply)?.requestId;
        const isSame = requestId !== undefined && requestId === headers['apigw-requestid'];
        const got = `${headers['content-type'] ?? 'no type'}, ${headers['cache-control'] ?? 'no cache-control'}, request id ${isSame ? 'the same' : 'missing or another'}`;
        return found(isSame && headers['cache-control'] === 'no-store', got);
      },
    },
    {
      what: 'headers of more than 10,240 bytes',
      expected: 'refused by the gateway (4xx, no problem body)',
      async run() {
        const headers = { 'x-long': 'x'.repeat(11_000) };
        const path = lockPath(routes.inspect, deployment.lockId('body'));
        const reply = await deployment.send({ method: 'GET', path, headers });
        const isRefused = reply.status >= 400 && reply.status < 500;
        return found(isRefused && problemOf(reply) === undefined, shown(reply));
      },
    },
    {
      what: 'try without a body',
      expected: '200 with an owner token of the service’s own',
      async run() {
        const lockId = deployment.lockId('no body');
        const reply = await deployment.call('try', lockId);
        const ownerToken = memberOf(reply, 'ownerToken');
        if (typeof ownerToken !== 'string') return found(false, shown(reply));
        const released = await deployment.release({ lockId, ownerToken });
        return found(reply.status === 200 && released.status === 200, `${shown(reply)}, released ${shown(released)}`);
      },
    },
    {
      what: 'a body in application/json; charset=utf-8 with an emoji',
      expected: '200, the label byte for byte',
      async run() {
        const { lockId, ownerToken } = deployment.attempt(deployment.lockId('emoji'));
        const body = JSON.stringify({ ownerToken, holder: '🔒 é', leaseMs: 60_000 });
        const headers = { 'content-type': 'application/json; charset=utf-8' };
        const reply = await deployment.send({ method: 'POST', path: lockPath(routes.try, lockId), body, headers });
        const view = await deployment.call('inspect', lockId);
        await deployment.release({ lockId, ownerToken });
        const isSame = memberOf(view, 'holder') === '🔒 é';
        return found(reply.status === 200 && isSame, `${shown(reply)}, label ${isSame ? 'the same' : 'another'}`);
      },
    },
  ];
}

function post(
  deployment: Deployment,
  body: string,
  headers: Record<string, string> = {},
  operation: 'try' | 'acquire' = 'try',
): Promise<Reply> {
  const path = lockPath(routes[operation], deployment.lockId('body'));
  return deployment.send({ method: 'POST', path, body, headers });
}

function problem(
  deployment: Deployment,
  what: string,
  code: ProblemCode,
  body: string,
  headers: Record<string, string> = {},
  operation: 'try' | 'acquire' = 'try',
): Check {
  const status = problemStatuses[code];
  return {
    what,
    expected: `${status} ${code}, application/problem+json with its request id`,
    async run() {
      const reply = await post(deployment, body, headers, operation);
      const got = problemOf(reply);
      const isRight =
        reply.status === status &&
        got?.status === status &&
        got.code === code &&
        got.type === problemType(code) &&
        got.requestId !== undefined;
      return found(isRight, shown(reply));
    },
  };
}
