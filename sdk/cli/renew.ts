import { setTimeout as pause } from 'node:timers/promises';
import { displayText, type Lease, LockServiceError } from '../index.ts';
import { attachedLease } from './attached-lease.ts';
import { replaceLeaseFile } from './lease-file.ts';
import { type LeaseOutput, printLease, reportOf } from './lease-report.ts';
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
 */
export async function renew(options: RenewOptions): Promise<number> {
  const { leaseFile } = options;
  const isPiped = leaseFile === '-';
  if (isPiped && !options.printLease) {
    throw new UsageError(
      'the renewed lease replaces the old one: with --lease-file - give --print-lease, too, and keep what it prints',
    );
  }
  const lease = await attachedLease(leaseFile, options);
  await renewUntilAnswered(lease);
  const report = reportOf(lease);
  const text = lease.export();
  if (!isPiped) {
    try {
      await replaceLeaseFile(leaseFile, text);
    } catch (error) {
      throw new OutputError(
        `lock ${displayText(lease.lockId)} is renewed until ${report.deadline}, but that cannot be written into the lease file ${leaseFile}, which is as it was: it is good for the lock until its former deadline (${(error as Error).message})`,
      );
    }
  }
  await printLease(report, text, { ...options, leaseFile: isPiped ? undefined : leaseFile });
  return 0;
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
