import { type Check, found, type Setting, skipped } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { memberOf, problemOf, type Reply, shown } from '../reply.ts';

const atOnce = 200;
/** A burst ends after this long, whatever it has shown. */
const burstMs = 20_000;

/** What a caller meets that asks too much. It costs, so only when asked for. */
export function throttleChecks({ deployment, options }: Setting): Check[] {
  const { burst } = options;
  const what = 'more looks than the API takes';
  const expected = '429 that is JSON (503 where the functions have no free slot), and renewals served all the while';
  if (burst === 0) return [{ what, expected, run: async () => skipped('give --burst N, such as 5000; it costs') }];
  return [{ what, expected, run: () => throttled(deployment, burst) }];
}

// The gateway's 503 has no problem body; the service's own says that the table gave no answer.
function isThrottled(reply: Reply): boolean {
  return reply.status === 429 || (reply.status === 503 && problemOf(reply) === undefined);
}

async function throttled(deployment: Deployment, burst: number) {
  deployment.allow(burst + 200);
  const { attempt } = await deployment.try(deployment.lockId('throttled'));
  const startedMs = performance.now();
  const seen = new Map<string, number>();
  let sent = 0;
  let refusal: Reply | undefined;
  const isOver = () => refusal !== undefined || sent >= burst || performance.now() - startedMs > burstMs;

  async function look(): Promise<void> {
    while (!isOver()) {
      sent++;
      const reply = await deployment.call('inspect', attempt.lockId);
      seen.set(shown(reply), (seen.get(shown(reply)) ?? 0) + 1);
      if (isThrottled(reply)) refusal ??= reply;
    }
  }

  const { lockId, ownerToken } = attempt;
  const renewals: Reply[] = [];
  async function renew(): Promise<void> {
    do renewals.push(await deployment.call('renew', lockId, { ownerToken, leaseMs: 60_000 }));
    while (!isOver());
  }

  const lookers = Array.from({ length: Math.min(atOnce, burst) }, look);
  await Promise.all([...lookers, renew()]);
  // The very moment in which looks are refused.
  renewals.push(await deployment.call('renew', lockId, { ownerToken, leaseMs: 60_000 }));
  await deployment.release(attempt);

  const seconds = (performance.now() - startedMs) / 1_000;
  const refusedRenewal = renewals.find(({ status }) => status !== 200);
  const others = [...seen.keys()].filter((text) => !/^(?:200|429|503)\b/.test(text));
  if (others.length > 0 || refusedRenewal) {
    return found(
      false,
      `${others.join(', ') || 'looks as expected'}; renewal ${refusedRenewal ? shown(refusedRenewal) : '200'}`,
    );
  }
  if (refusal === undefined) {
    return skipped(
      `no 429 and no 503 within ${sent} requests at ${Math.round(sent / seconds)} a second: give a greater --burst`,
    );
  }
  const retryAfter = refusal.headers['retry-after'] ?? 'none';
  const isJson = typeof memberOf(refusal, 'message') === 'string' || typeof memberOf(refusal, 'code') === 'string';
  return found(
    isJson,
    `${shown(refusal)} after ${sent} requests in ${seconds.toFixed(1)} s, Retry-After ${retryAfter}, ${renewals.length} renewals served`,
  );
}
