import { LeaseLostError } from '../index.ts';
import { acquireLease } from './acquiring.ts';
import { connectLocks } from './connect.ts';
import { durationText } from './duration.ts';
import { Interruption } from './interruption.ts';
import { checkNewLeaseFile, createLeaseFile } from './lease-file.ts';
import { type LeaseOutput, type LeaseReport, printLease, reportOf } from './lease-report.ts';
import type { StandardError } from './standard-error.ts';
import { UsageError } from './usage-error.ts';

export interface TakeOptions extends LeaseOutput {
  readonly lockId: string;
  /** Milliseconds, 0: one attempt; nothing: for ever. */
  readonly waitMs: number | undefined;
  readonly leaseMs: number;
  readonly holder: string | undefined;
  readonly url: string | undefined;
}

/** Acquires a lock and keeps its lease where the next step of a script finds it. */
export async function take(options: TakeOptions, standardError: StandardError): Promise<number> {
  const { leaseFile, printLease: isPrinted } = options;
  if (leaseFile === undefined && !isPrinted) {
    throw new UsageError(
      'where is the lease to be kept? Give --lease-file FILE, or --print-lease for a secret on the standard output',
    );
  }
  if (leaseFile !== undefined) await checkNewLeaseFile(leaseFile);
  const interruption = new Interruption();
  try {
    const wanted = { ...options, renewal: 'manual' as const, signal: interruption.signal };
    const { lease } = await acquireLease(wanted, standardError);
    if (interruption.exitCode !== undefined) {
      await lease.release();
      return interruption.exitCode;
    }
    // Renewed by hand, it is told how long it really lasts, however long the wait was.
    const report = reportOf(lease);
    // From here on the lease is what the text says, also if it cannot be kept.
    const text = lease.export();
    try {
      if (leaseFile !== undefined) await createLeaseFile(leaseFile, text);
      else await printLease(report, text, options);
    } catch (error) {
      await giveBack(text, options, standardError);
      throw error;
    }
    if (leaseFile !== undefined) await printBeside(leaseFile, report, text, options, standardError);
    return 0;
  } catch (error) {
    if (interruption.exitCode === undefined) throw error;
    return interruption.exitCode;
  }
}

async function printBeside(
  leaseFile: string,
  report: LeaseReport,
  text: string,
  options: TakeOptions,
  standardError: StandardError,
): Promise<void> {
  try {
    await printLease(report, text, options);
  } catch (error) {
    standardError.say(`lock ${report.lockId} is held all the same: its lease is in ${leaseFile}`);
    throw error;
  }
}

// Nobody else knows the lease, so nobody else could give it back.
async function giveBack(text: string, { lockId, url }: TakeOptions, standardError: StandardError): Promise<void> {
  const locks = await connectLocks({ url });
  const lease = locks.attach(text, { renewal: 'manual' });
  const { remainingMs } = lease;
  try {
    await lease.release();
  } catch (error) {
    if (error instanceof LeaseLostError) return;
    standardError.say(
      `lock ${lockId} could not be given back (${(error as Error).message}); it comes free by itself within ${durationText(remainingMs + 1_000)}`,
    );
  }
}
