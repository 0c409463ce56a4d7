import { isLoopback } from '../../../sdk/api-addresses.ts';
import { HttpBackend } from '../../../sdk/http/http-backend.ts';
import { SigV4Signer } from '../../../sdk/http/signer.ts';
import { LockFactory } from '../../../sdk/index.ts';
import { lockPath, type Route, routes } from '../../../sdk/wire/routes.ts';
import { type Check, found, type Setting, skipped } from '../check.ts';
import type { Deployment, Signed } from '../deployment.ts';
import { isForbidden, isGatewayAnswer, memberOf, shown } from '../reply.ts';
import { bodyOf } from './harmless-body.ts';

const tenMinutesMs = 10 * 60_000;

/** Who is let in: nobody without a right signature, on no route. */
export function signatureChecks({ deployment }: Setting): Check[] {
  return [
    {
      what: 'a signed request',
      expected: '200, and the lock in the name of its signer',
      async run() {
        const { attempt, reply } = await deployment.try(deployment.lockId('signed'));
        const view = await deployment.call('inspect', attempt.lockId);
        await deployment.release(attempt);
        const hasSigner = String(memberOf(view, 'principal')).startsWith('arn:');
        return found(
          reply.status === 200 && hasSigner,
          `${shown(reply)}, ${hasSigner ? 'the signer’s ARN' : 'no ARN'}`,
        );
      },
    },
    {
      what: 'the SDK',
      expected: 'locks, excludes another handle, unlocks',
      async run() {
        const { url, region, administrator: credentials } = deployment;
        const locks = LockFactory.connect({ url: url.href, region, credentials, leaseMs: 60_000 });
        const lock = locks.createLock(deployment.lockId('sdk'));
        let has = false;
        let other = false;
        try {
          has = await lock.tryLock();
          other = has && (await locks.createLock(deployment.lockId('sdk')).tryLock());
          if (has) await lock.unlock();
        } finally {
          // Gives back whatever is still held.
          await locks.dispose({ timeoutMs: 0 });
        }
        const { state } = await locks.inspect(deployment.lockId('sdk'));
        return found(has && !other && state === 'free', `${has}, then ${other} for the other handle, then ${state}`);
      },
    },
    ...Object.values(routes).flatMap((route) => refusals(deployment, route)),
    forbidden(deployment, 'signed with a key that is unknown', {
      altered: (credentials) => ({ ...credentials, accessKeyId: 'AKIAUNKNOWNUNKNOWN00' }),
    }),
    forbidden(deployment, 'signed for another service', { service: 'lambda' }),
    {
      what: 'signed for another Region',
      expected: '403 Forbidden of the gateway',
      async run() {
        if (isLoopback(deployment.url)) return skipped('the local stack takes every Region');
        const region = deployment.region === 'us-east-1' ? 'us-east-2' : 'us-east-1';
        const reply = await deployment.call('inspect', deployment.lockId('region'), undefined, { region });
        return found(isForbidden(reply), shown(reply));
      },
    },
    {
      what: 'a body that was changed after it was signed',
      expected: '403 Forbidden of the gateway',
      async run() {
        const { lockId, ownerToken } = deployment.attempt(deployment.lockId('changed'));
        const path = lockPath(routes.try, lockId);
        const body = JSON.stringify({ ownerToken, leaseMs: 1_000 });
        const sentBody = JSON.stringify({ ownerToken, leaseMs: 2_000 });
        const reply = await deployment.send({ method: 'POST', path, body, sentBody });
        return found(isForbidden(reply), shown(reply));
      },
    },
    ...[-tenMinutesMs, tenMinutesMs].flatMap((offMs) => wrongClock(deployment, offMs)),
    {
      what: 'requests of a page of another origin',
      expected: 'no header that lets the page read the answer',
      async run() {
        const path = lockPath(routes.inspect, deployment.lockId('origin'));
        const headers = { origin: 'https://page.example' };
        const asks = { ...headers, 'access-control-request-method': 'GET' };
        const replies = [
          await deployment.send({ method: 'GET', path, headers }),
          await deployment.send({ method: 'GET', path, headers }, { by: 'none' }),
          await deployment.send({ method: 'OPTIONS', path, headers: asks }, { by: 'none' }),
        ];
        const names = replies.flatMap((reply) =>
          Object.keys(reply.headers).filter((name) => /^access-control-/.test(name)),
        );
        return found(names.length === 0, names.length === 0 ? 'none' : [...new Set(names)].join(', '));
      },
    },
  ];
}

function refusals(deployment: Deployment, route: Route): Check[] {
  const how: [string, Signed][] = [
    ['without a signature', { by: 'none' }],
    ['signed with a wrong secret', { altered: (credentials) => ({ ...credentials, secretAccessKey: 'wrong' }) }],
  ];
  return how.map(([what, signed]) => forbidden(deployment, what, signed, route));
}

function forbidden(deployment: Deployment, what: string, signed: Signed, route = routes.inspect): Check {
  return {
    what: `${route.operation} ${what}`,
    expected: '403 Forbidden of the gateway',
    async run() {
      const { method } = route;
      const reply = await deployment.send(
        { method, path: lockPath(route, deployment.lockId('forbidden')), ...bodyOf(route) },
        signed,
      );
      // Some faults of a signature have a longer message.
      const isRight = signed.by === 'none' ? isGatewayAnswer(reply, 403, 'Forbidden') : true;
      return found(isRight && isForbidden(reply), shown(reply));
    },
  };
}

function wrongClock(deployment: Deployment, offMs: number): Check[] {
  const clock = `a clock that is 10 minutes ${offMs < 0 ? 'slow' : 'fast'}`;
  return [
    {
      what: `signed by ${clock}`,
      expected: '403 with a Date header to learn from',
      async run() {
        const reply = await deployment.call('inspect', deployment.lockId('clock'), undefined, { offMs });
        const date = Date.parse(reply.headers.date ?? '');
        const isUsable = Math.abs(date - reply.receivedAtMs) < 60_000;
        const dateText = reply.headers.date === undefined ? 'without a Date' : `Date ${isUsable ? 'right' : 'wrong'}`;
        return found(isForbidden(reply) && isUsable, `${shown(reply)}, ${dateText}`);
      },
    },
    {
      what: `the SDK with ${clock}`,
      expected: 'signs again by the server’s clock and gets the lock',
      async run() {
        const { url, region, administrator } = deployment;
        const signer = new SigV4Signer(administrator, region, () => Date.now() + offMs);
        const backend = new HttpBackend(url, signer);
        const attempt = deployment.attempt(deployment.lockId('clock'));
        const answer = await backend.try({ ...attempt, leaseMs: 60_000, holder: 'holdfast verification' }, 10_000);
        const released = await deployment.release(attempt);
        return found(answer.kind === 'granted' && released.status === 200, answer.kind);
      },
    },
  ];
}
