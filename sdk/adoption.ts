import { elapsedMs } from './clocks.ts';
import type { Connection } from './connection.ts';
import { type HoldfastError, LeaseLostError } from './errors.ts';
import type { ExportedLease } from './exported-lease.ts';
import type { Acquired } from './lease.ts';
import { backOffMs, pause } from './pause.ts';

const requestTimeoutMs = 5_000;

/**
 * Makes a lease that another process gave up one's own: by a renewal, from which it counts. While the outcome is unknown
 * or the service throttles it tries again, until the lease is over or the service was out of reach for too long.
 *
 * @throws LeaseLostError when the lease is over or the lock is another's
 * @throws LockServiceError when no renewal was answered in time; the text may be adopted again
 */
export async function adopt(connection: Connection, exported: ExportedLease): Promise<Acquired> {
  const { backend, clocks, random, unreachableAfterMs } = connection;
  const { lockId, ownerToken, leaseMs, holder, deadlineMs } = exported;
  const startedAt = clocks.now();
  let failure: HoldfastError | undefined;
  for (let attempt = 0; ; attempt++) {
    const sentAt = clocks.now();
    // Past its deadline a lease is never renewed, although the service would where nobody has taken the lock yet.
    const leftMs = Math.min(deadlineMs - sentAt.wallMs, unreachableAfterMs - elapsedMs(startedAt, clocks));
    if (leftMs <= 0) throw failure ?? new LeaseLostError(lockId, 'expired');
    const answer = await backend.renew({ lockId, ownerToken, leaseMs, holder }, Math.min(leftMs, requestTimeoutMs));
    if (answer.kind === 'granted') return { grant: answer, ownerToken, sentAt };
    if (answer.kind === 'lost') throw new LeaseLostError(lockId, answer.reason);
    if (!('error' in answer)) throw new TypeError(`a renewal is not answered with "${answer.kind}"`);
    failure = answer.error;
    if (answer.kind === 'refused') throw failure;
    await pause(Math.min(leftMs, backOffMs(attempt, random)));
  }
}
