import { setTimeout as pause } from 'node:timers/promises';
import { defaultTiming } from '../../../lambda/service/timing.ts';
import { routes } from '../../../sdk/wire/routes.ts';
import { type Check, found, type Setting, skipped } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { numberOf, problemOf, type Reply, shown, tellsOwner } from '../reply.ts';

const shortLeaseMs = 1_000;

/** The lock itself, over the real table. */
export function lockChecks({ deployment }: Setting): Check[] {
  return [
    {
      what: 'a lock that is held',
      expected: '409 lock-held with holder, remaining lease and Retry-After',
      run: () => heldLock(deployment),
    },
    {
      what: 'fencing tokens after a release, the end of a lease, a hand-over and a break',
      expected: 'each greater than the one before, the first of them at the service’s clock',
      run: () => fencingTokens(deployment),
    },
    {
      what: 'repeating a try, a renewal and a release',
      expected: '200 with the same fencing token, 200, 200',
      async run() {
        const { attempt, reply } = await deployment.try(deployment.lockId('repeated'));
        const { lockId, ownerToken } = attempt;
        const again = await deployment.call('try', lockId, { ownerToken, leaseMs: 60_000 });
        const renewals = [];
        for (let at = 0; at < 2; at++)
          renewals.push(await deployment.call('renew', lockId, { ownerToken, leaseMs: 60_000 }));
        const releases = [await deployment.release(attempt), await deployment.release(attempt)];
        const isSame = numberOf(reply, 'fencingToken') === numberOf(again, 'fencingToken');
        const all = [reply, again, ...renewals, ...releases];
        return found(isSame && all.every(({ status }) => status === 200), all.map(shown).join(', '));
      },
    },
    {
      what: 'an owner token that has had its lease',
      expected: '409 token-spent for a try, 409 lease-lost for a renewal',
      async run() {
        const { attempt } = await deployment.try(deployment.lockId('spent'));
        await deployment.release(attempt);
        const { lockId, ownerToken } = attempt;
        const [again, renewed] = [
          await deployment.call('try', lockId, { ownerToken }),
          await deployment.call('renew', lockId, { ownerToken }),
        ];
        const isRight = problemOf(again)?.code === 'token-spent' && problemOf(renewed)?.code === 'lease-lost';
        return found(isRight, `${shown(again)}, ${shown(renewed)}`);
      },
    },
    {
      what: 'breaking another hold than the one that was looked at',
      expected: '409 holder-changed, and the holder keeps it',
      async run() {
        const { attempt, reply } = await deployment.try(deployment.lockId('not broken'));
        const fencingToken = numberOf(reply, 'fencingToken') - 1;
        const broken = await deployment.call('break', attempt.lockId, { fencingToken });
        const released = await deployment.release(attempt);
        const isRight = problemOf(broken)?.code === 'holder-changed' && released.status === 200;
        return found(isRight, `${shown(broken)}, released ${shown(released)}`);
      },
    },
    {
      what: 'the list of the locks of this run',
      expected: '200, the held one among them, within 20 pages',
      run: () => listed(deployment),
    },
    {
      what: 'what others see of a lock that is held and waited for',
      expected: 'no owner token, neither of the holder nor of who waits',
      run: () => seenByOthers(deployment),
    },
    {
      what: 'whether a refused write brings the item by itself (ReturnValuesOnConditionCheckFailure)',
      expected: 'no GetItem for a refused try',
      run: async () =>
        skipped(
          'the answer is the same either way; in CloudWatch, SuccessfulRequestLatency of the table for GetItem has no samples while only try is called on a held lock',
        ),
    },
  ];
}

async function heldLock(deployment: Deployment) {
  const { attempt } = await deployment.try(deployment.lockId('held'));
  const { reply } = await deployment.try(attempt.lockId);
  await deployment.release(attempt);
  const problem = problemOf(reply);
  const retryAfter = Number(reply.headers['retry-after']);
  const isRight =
    problem?.code === 'lock-held' &&
    problem.holder === 'holdfast verification' &&
    (problem.expiresInMs ?? 0) > 50_000 &&
    retryAfter === Math.ceil((problem.retryAfterMs ?? Number.NaN) / 1_000);
  return found(
    isRight,
    `${shown(reply)}, holder ${problem?.holder === undefined ? 'missing' : 'shown'}, Retry-After ${retryAfter}`,
  );
}

async function fencingTokens(deployment: Deployment) {
  const lockId = deployment.lockId('fenced');
  const fences: number[] = [];
  const note = (reply: Reply) => fences.push(numberOf(reply, 'fencingToken'));

  const first = await deployment.try(lockId);
  note(first.reply);
  await deployment.release(first.attempt);
  // Its lease ends by itself.
  const second = await deployment.try(lockId, { leaseMs: shortLeaseMs });
  note(second.reply);
  await pause(shortLeaseMs + defaultTiming.clockSkewMs + 500);
  const third = await deployment.try(lockId);
  note(third.reply);
  // Handed over to one that waits.
  const fourth = deployment.attempt(lockId);
  const waiting = deployment.call('acquire', lockId, {
    ownerToken: fourth.ownerToken,
    leaseMs: 60_000,
    waitMs: 10_000,
  });
  await untilWaiting(deployment, lockId);
  await deployment.release(third.attempt);
  const handedOver = await waiting;
  note(handedOver);
  // Broken.
  const broken = await deployment.call('break', lockId, {
    fencingToken: numberOf(handedOver, 'fencingToken'),
    note: 'verification',
  });
  const fifth = await deployment.try(lockId);
  note(fifth.reply);
  await deployment.release(fifth.attempt);

  const grow = fences.every((fence, at) => fence > (fences[at - 1] ?? 0));
  const startMs = Math.abs((fences[0] ?? Number.NaN) - first.reply.receivedAtMs);
  const got = `${fences.map((fence) => (Number.isNaN(fence) ? 'none' : `+${fence - (fences[0] ?? 0)}`)).join(', ')}, break ${shown(broken)}`;
  return found(grow && startMs < 5 * 60_000 && broken.status === 200, got);
}

/** Until somebody stands in line, at most 10 s. */
export async function untilWaiting(deployment: Deployment, lockId: string): Promise<void> {
  for (let look = 0; look < 40; look++) {
    if (numberOf(await deployment.call('inspect', lockId), 'waiters') > 0) return;
    await pause(250);
  }
  throw new Error('nobody stood in line after 10 s');
}

async function seenByOthers(deployment: Deployment) {
  const { attempt } = await deployment.try(deployment.lockId('seen'));
  const { lockId } = attempt;
  const waiter = deployment.attempt(lockId);
  const message = { leaseMs: 60_000, waitMs: 500, keepPlace: true };
  await deployment.call('acquire', lockId, { ...message, ownerToken: waiter.ownerToken });
  const query = `prefix=${encodeURIComponent(lockId)}`;
  const { reply: refusal } = await deployment.try(lockId);
  const replies = {
    inspect: await deployment.call('inspect', lockId),
    list: await deployment.send({ method: 'GET', path: routes.list.path, query }),
    refusal,
  };
  await deployment.release(waiter);
  await deployment.release(attempt);
  const tokens = [attempt.ownerToken, waiter.ownerToken];
  const telling = Object.entries(replies).flatMap(([name, reply]) => (tellsOwner(reply, tokens) ? [name] : []));
  const isRight = telling.length === 0 && replies.inspect.status === 200 && replies.list.status === 200;
  const seen = Object.entries(replies).map(([name, reply]) => `${name} ${shown(reply)}`);
  return found(isRight, telling.length > 0 ? `an owner token in ${telling.join(', ')}` : seen.join(', '));
}

async function listed(deployment: Deployment) {
  const { attempt } = await deployment.try(deployment.lockId('listed'));
  let query = `prefix=${encodeURIComponent(deployment.prefix)}&limit=1000`;
  let pages = 0;
  try {
    while (pages++ < 20) {
      const reply = await deployment.send({ method: 'GET', path: '/v1/admin/locks', query });
      const page = JSON.parse(reply.text) as { locks?: { lockId: string }[]; cursor?: string };
      if (reply.status !== 200) return found(false, shown(reply));
      if (page.locks?.some(({ lockId }) => lockId === attempt.lockId)) return found(true, `200, on page ${pages}`);
      if (page.cursor === undefined) return found(false, `200, ${pages} pages without it`);
      query = `prefix=${encodeURIComponent(deployment.prefix)}&limit=1000&cursor=${encodeURIComponent(page.cursor)}`;
    }
  } finally {
    await deployment.release(attempt);
  }
  return skipped('not on the first 20 pages: the table has more than 20,000 locks');
}
