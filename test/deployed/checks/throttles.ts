import { lockPath, routes } from '../../../sdk/wire/routes.ts';
import { type Check, type Finding, found, type Setting, skipped } from '../check.ts';
import type { Attempt, Deployment } from '../deployment.ts';
import { memberOf, problemOf, type Reply, shown } from '../reply.ts';

const atOnce = 200;
/** A burst ends after this long, whatever it has shown. */
const burstMs = 20_000;

/** What a caller meets that asks too much. It costs, so only when asked for. */
export function throttleChecks({ deployment, options }: Setting): Check[] {
  const { burst } = options;
  const what = 'more looks than the API takes';
  const expected = '429 that is JSON (503 where the functions have no free slot), and renewals served all the while';
  if (burst === 0) return [{ what, expected, run: async () => skipped('give --burst N, such as 1000; it costs') }];
  return [{ what, expected, run: () => throttled(deployment, burst) }];
}

// The gateway's 503 has no problem body; the service's own says that the table gave no answer.
function isThrottled(reply: Reply): boolean {
  return reply.status === 429 || (reply.status === 503 && problemOf(reply) === undefined);
}

/** What a burst showed. */
interface Burst {
  readonly sent: number;
  readonly seconds: number;
  /** The first look that was throttled. */
  readonly refusal: Reply | undefined;
  /** Looks that ended otherwise than served or throttled. */
  readonly others: readonly string[];
  readonly renewals: readonly Reply[];
}

async function throttled(deployment: Deployment, burst: number): Promise<Finding> {
  deployment.allow(burst + 200);
  const { attempt } = await deployment.try(deployment.lockId('throttled'));
  const { sent, seconds, refusal, others, renewals } = await burstOf(deployment, attempt, burst);
  await deployment.release(attempt);

  const refusedRenewal = renewals.find(({ status }) => status !== 200);
  if (refusedRenewal) return found(false, `a renewal: ${shown(refusedRenewal)}`);
  if (others.length > 0) return found(false, others.join(', '));
  if (refusal === undefined) {
    const rate = Math.round(sent / seconds);
    return skipped(`no 429 and no 503 within ${sent} requests at ${rate} a second: give a greater --burst`);
  }
  const isJson = typeof memberOf(refusal, 'message') === 'string' || typeof memberOf(refusal, 'code') === 'string';
  const after = `after ${sent} requests in ${seconds.toFixed(1)} s`;
  const retryAfter = refusal.headers['retry-after'] ?? 'none';
  return found(isJson, `${shown(refusal)} ${after}, Retry-After ${retryAfter}, ${renewals.length} renewals served`);
}

async function burstOf(deployment: Deployment, { lockId, ownerToken }: Attempt, burst: number): Promise<Burst> {
  const startedMs = performance.now();
  const others = new Set<string>();
  let sent = 0;
  let refusal: Reply | undefined;
  const isOver = () => refusal !== undefined || sent >= burst || performance.now() - startedMs > burstMs;

  const look = { method: 'GET', path: lockPath(routes.inspect, lockId) };
  async function lookOn(): Promise<void> {
    while (!isOver()) {
      sent++;
      const reply = await deployment.sendOnce(look);
      if (isThrottled(reply)) refusal ??= reply;
      else if (reply.status !== 200) others.add(shown(reply));
    }
  }

  const body = JSON.stringify({ ownerToken, leaseMs: 60_000 });
  const renewal = { method: 'POST', path: lockPath(routes.renew, lockId), body };
  const renewals: Reply[] = [];
  async function renewOn(): Promise<void> {
    do renewals.push(await deployment.sendOnce(renewal));
    while (!isOver());
  }

  await Promise.all([...Array.from({ length: Math.min(atOnce, burst) }, lookOn), renewOn()]);
  // The very moment in which looks are refused.
  renewals.push(await deployment.sendOnce(renewal));
  return { sent, seconds: (performance.now() - startedMs) / 1_000, refusal, others: [...others], renewals };
}
