import { limits } from '../../../sdk/wire/limits.ts';
import { type Check, found, type Setting, skipped } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { memberOf, numberOf, problemOf, shown } from '../reply.ts';
import { untilWaiting } from './locks.ts';

/** Requests that wait: how they end, and what becomes of them when their client has gone. */
export function waitChecks({ deployment }: Setting): Check[] {
  return [
    {
      what: `an acquire that waits its whole ${limits.waitMs.max / 1_000} s`,
      expected: '409 lock-held after that time, not cut by the gateway or the function',
      run: () => wholeWait(deployment),
    },
    {
      what: 'an acquire with keepPlace',
      expected: '409 still-waiting, then the lock with resume once it is free',
      run: () => keptPlace(deployment),
    },
    {
      what: 'a waiter whose client hung up',
      expected: 'waits on: the lock is handed to it',
      run: () => hungUp(deployment),
    },
    {
      what: 'a request that the gateway cuts after 29 s',
      expected: '503 without a problem body, which the SDK takes for an unknown outcome',
      run: async () =>
        skipped(
          `no request can be made to last that long: the service ends every wait after ${limits.waitMs.max / 1_000} s`,
        ),
    },
  ];
}

async function wholeWait(deployment: Deployment) {
  const { attempt } = await deployment.try(deployment.lockId('waited for'));
  const { ownerToken } = deployment.attempt(attempt.lockId);
  const waitMs = limits.waitMs.max;
  const reply = await deployment.call('acquire', attempt.lockId, { ownerToken, waitMs });
  const waiters = numberOf(await deployment.call('inspect', attempt.lockId), 'waiters');
  await deployment.release(attempt);
  const lastedMs = reply.receivedAtMs - reply.sentAtMs;
  const isRight = problemOf(reply)?.code === 'lock-held' && lastedMs >= waitMs - 500 && waiters === 0;
  return found(isRight, `${shown(reply)} after ${(lastedMs / 1_000).toFixed(1)} s, ${waiters} left in line`);
}

async function keptPlace(deployment: Deployment) {
  const { attempt } = await deployment.try(deployment.lockId('kept place'));
  const waiter = deployment.attempt(attempt.lockId);
  const message = { ownerToken: waiter.ownerToken, keepPlace: true, confirm: true, leaseMs: 60_000 };
  const first = await deployment.call('acquire', attempt.lockId, { ...message, waitMs: 500 });
  await deployment.release(attempt);
  const second = await deployment.call('acquire', attempt.lockId, { ...message, waitMs: 5_000, resume: true });
  const confirmed = await deployment.call('renew', attempt.lockId, { ownerToken: waiter.ownerToken, leaseMs: 60_000 });
  await deployment.release(waiter);
  const isRight =
    problemOf(first)?.code === 'still-waiting' &&
    memberOf(second, 'provisional') === true &&
    memberOf(confirmed, 'provisional') === false;
  return found(isRight, `${shown(first)}, ${shown(second)}, confirmed ${shown(confirmed)}`);
}

async function hungUp(deployment: Deployment) {
  const { attempt } = await deployment.try(deployment.lockId('hung up'));
  const { lockId } = attempt;
  const waiter = deployment.attempt(lockId);
  const client = new AbortController();
  const message = { ownerToken: waiter.ownerToken, waitMs: 15_000, leaseMs: 60_000, holder: 'hung up' };
  const waiting = deployment.call('acquire', lockId, message, { signal: client.signal });
  // It ends by being hung up on.
  const ended = waiting.then(
    (reply) => `it was answered ${shown(reply)}`,
    () => undefined,
  );
  await untilWaiting(deployment, lockId);
  client.abort();
  const early = await ended;
  await deployment.release(attempt);
  let holder: unknown;
  for (let look = 0; look < 20 && holder !== 'hung up'; look++) {
    holder = memberOf(await deployment.call('inspect', lockId), 'holder');
  }
  await deployment.release(waiter);
  return found(
    holder === 'hung up' && early === undefined,
    early ?? (holder === 'hung up' ? 'it has the lock' : 'it has not'),
  );
}
