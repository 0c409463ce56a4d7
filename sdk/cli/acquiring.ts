import type { Lease, LockEvent, LockFactory, Renewal } from '../index.ts';
import { type ConnectionOptions, connectLocks } from './connect.ts';
import { FailureNotice } from './failure-notice.ts';
import { checkLockArgument } from './lock-argument.ts';
import type { StandardError } from './standard-error.ts';
import { WaitingLine } from './waiting-line.ts';

export interface Acquiring extends Pick<ConnectionOptions, 'url'> {
  readonly lockId: string;
  /** Milliseconds; nothing: for ever. */
  readonly waitMs: number | undefined;
  readonly leaseMs: number;
  readonly holder: string | undefined;
  readonly renewal?: Renewal;
  readonly signal: AbortSignal;
}

export interface AcquiredLease {
  readonly lease: Lease;
  readonly waitedMs: number;
}

// How long a wait that was given up may take to leave the line.
const leaveWithinMs = 3_000;

/**
 * Waits for a lock, and shows that on a terminal.
 *
 * @throws InterruptedError when the signal aborts, when the place in line is given up or 3 s are over
 * @throws LockNotAcquiredError and what else the SDK throws
 */
export async function acquireLease(
  { lockId, waitMs, signal, leaseMs, holder, renewal, url }: Acquiring,
  standardError: StandardError,
): Promise<AcquiredLease> {
  checkLockArgument(lockId);
  const line = new WaitingLine(lockId, standardError);
  const startedMs = performance.now();
  let locks: LockFactory | undefined;
  let notice: FailureNotice | undefined;
  try {
    const onEvent = (event: LockEvent) => {
      notice?.stop();
      line.update(event, () => locks);
    };
    locks = await connectLocks({ url, onEvent });
    if (waitMs !== 0 && !standardError.isJson) notice = new FailureNotice(lockId, locks, standardError);
    const hold = { leaseMs, ...(holder !== undefined && { holder }), ...(renewal && { renewal }) };
    const lease = await locks.createLock(lockId, hold).acquire({ signal, ...(waitMs !== undefined && { waitMs }) });
    return { lease, waitedMs: performance.now() - startedMs };
  } catch (error) {
    if (locks) await leave(locks);
    throw error;
  } finally {
    notice?.stop();
    line.stop();
  }
}

// What was asked for and not answered is cleaned up in the background.
async function leave(locks: LockFactory): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, leaveWithinMs);
  });
  await Promise.race([locks.dispose({ timeoutMs: 0 }), over]);
  clearTimeout(timer);
}
