import { elapsedMs } from './clocks.ts';
import type { Connection } from './connection.ts';
import type { Disposal } from './disposal.ts';
import { type HoldfastError, LeaseLostError } from './errors.ts';
import type { ExportedLease } from './exported-lease.ts';
import type { Acquired } from './lease.ts';
import { backOffMs, pause } from './pause.ts';
import { newOwnerToken } from './wire/owner-token.ts';

const requestTimeoutMs = 5_000;

/**
 * Makes a lease that another process gave up one's own: the hold goes on under a fresh token, and the old one is spent, so
 * that of several who adopt the same text one has the lock, and the others learn of it. While the outcome is unknown or
 * the service throttles it tries again, until the lease is over, the service was out of reach for too long, or the
 * factory is disposed.
 *
 * @throws LeaseLostError when the lease is over, the lock is another's, or another adopted it
 * @throws LockServiceError when no request was answered in time
 */
export async function adopt(connection: Connection, exported: ExportedLease, disposal: Disposal): Promise<Acquired> {
  const { backend, clocks, random, unreachableAfterMs, cleanUps } = connection;
  const { lockId, ownerToken, leaseMs, holder, deadlineMs } = exported;
  const heir = { ownerToken: newOwnerToken(), leaseMs, holder };
  // One of the requests may have been applied: then this token holds the lock, with nobody behind it.
  const giveBack = () => void cleanUps.start({ lockId, ownerToken: heir.ownerToken });
  const startedAt = clocks.now();
  let failure: HoldfastError | undefined;
  for (let attempt = 0; ; attempt++) {
    const sentAt = clocks.now();
    // Past its deadline a lease is never gone on with, although the service would where nobody has taken the lock yet.
    const leftMs = Math.min(deadlineMs - sentAt.wallMs, unreachableAfterMs - elapsedMs(startedAt, clocks));
    if (leftMs <= 0 || disposal.disposed) {
      if (failure) giveBack();
      throw failure ?? new LeaseLostError(lockId, 'expired');
    }
    const request = { lockId, ownerToken, expectWaiters: false, heir, heirFirst: true };
    const answer = await backend.release(request, Math.min(leftMs, requestTimeoutMs));
    if (answer.kind === 'released' && answer.heir) {
      return { grant: answer.heir, ownerToken: heir.ownerToken, sentAt };
    }
    if (answer.kind === 'lost') throw new LeaseLostError(lockId, answer.reason);
    // Done with before: by a release, or by another who adopted it.
    if (!('error' in answer)) throw new LeaseLostError(lockId, 'superseded');
    failure = answer.error;
    if (answer.kind === 'refused') {
      if (attempt > 0) giveBack();
      throw failure;
    }
    await pause(Math.min(leftMs, backOffMs(attempt, random)));
  }
}
