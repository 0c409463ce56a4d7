import { setTimeout as pause } from 'node:timers/promises';
import { displayText, IllegalMonitorStateError, type Lease, LockServiceError } from '../index.ts';
import { type AttachedLease, attachedLease } from './attached-lease.ts';
import { type AtPath, replaceLeaseFile } from './lease-file-changes.ts';
import { type LeaseOutput, type LeaseReport, printLease, reportOf } from './lease-report.ts';
import { OutputError } from './standard-output.ts';
import { UsageError } from './usage-error.ts';

export interface RenewOptions extends LeaseOutput {
  /** `-`: the standard input. */
  readonly leaseFile: string;
  readonly url: string | undefined;
}

const renewWithinMs = 10_000;
const [shortestPauseMs, longestPauseMs] = [100, 2_000];

/**
 * Makes a lease whole again, and puts what it is now in the place of what it was. Whatever goes wrong, the file still
 * holds the lock, and the renewal can be repeated until the deadline that is written there.
 *
 * @throws OutputError when the lease was renewed and the file could not be replaced
 * @throws IllegalMonitorStateError when the file was removed meanwhile, or holds another lease by now
 */
export async function renew(options: RenewOptions): Promise<number> {
  const { leaseFile } = options;
  const isPiped = leaseFile === '-';
  if (isPiped && !options.printLease) {
    throw new UsageError(
      'the renewed lease replaces the old one: with --lease-file - give --print-lease, too, and keep what it prints',
    );
  }
  const attached = await attachedLease(leaseFile, options);
  await renewUntilAnswered(attached.lease);
  const report = reportOf(attached.lease);
  const text = attached.lease.export();
  if (!isPiped) await keep(text, leaseFile, report, attached);
  await printLease(report, text, { ...options, leaseFile: isPiped ? undefined : leaseFile });
  return 0;
}

async function keep(
  text: string,
  leaseFile: string,
  { lockId, deadline }: LeaseReport,
  { holdOf }: AttachedLease,
): Promise<void> {
  const shownId = displayText(lockId);
  let atPath: AtPath;
  try {
    atPath = await replaceLeaseFile(leaseFile, text, holdOf);
  } catch (error) {
    throw new OutputError(
      `lock ${shownId} is renewed until ${deadline}, but that cannot be written into the lease file ${leaseFile}, which is as it was: it is good for the lock until its former deadline (${(error as Error).message})`,
    );
  }
  if (atPath === 'same hold') return;
  const became = atPath === 'nothing' ? 'was removed' : 'was replaced by another, which stays as it is,';
  throw new IllegalMonitorStateError(
    `the lease file ${leaseFile} ${became} while lock ${shownId} was renewed, as when another step releases it: this lease is at an end (unless it was given back, the lock comes free by itself at ${deadline})`,
  );
}

// A renewal may be repeated, whatever became of it before.
async function renewUntilAnswered(lease: Lease): Promise<void> {
  const startedMs = performance.now();
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await lease.renew();
    } catch (error) {
      const isOver = performance.now() - startedMs + pauseMs >= renewWithinMs || lease.remainingMs <= pauseMs;
      if (!(error instanceof LockServiceError) || isOver) throw error;
    }
    await pause(pauseMs);
  }
}
