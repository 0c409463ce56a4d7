import { connectLocks } from './connect.ts';
import { leaseTextIn, readLeaseFile, replaceLeaseFile } from './lease-file.ts';
import { type LeaseOutput, printLease, reportOf } from './lease-report.ts';
import { standardInput } from './standard-input.ts';
import { UsageError } from './usage-error.ts';

export interface RenewOptions extends LeaseOutput {
  /** `-`: the standard input. */
  readonly leaseFile: string;
  readonly url: string | undefined;
}

/**
 * Goes on with a lease for its whole length, under the next fencing token, and puts what it is now in the place of what it
 * was.
 */
export async function renew(options: RenewOptions): Promise<number> {
  const { leaseFile } = options;
  const isPiped = leaseFile === '-';
  if (isPiped && !options.printLease) {
    throw new UsageError(
      'the renewed lease replaces the old one: with --lease-file - give --print-lease, too, and keep what it prints',
    );
  }
  const old = await leaseFrom(leaseFile);
  const locks = await connectLocks(options);
  const lease = await locks.adopt(old, { renewal: 'manual' });
  const report = reportOf(lease);
  const text = lease.export();
  if (!isPiped) await replaceLeaseFile(leaseFile, text);
  await printLease(report, text, { ...options, leaseFile: isPiped ? undefined : leaseFile });
  return 0;
}

/** The lease that a file holds, or the standard input for `-`. */
export async function leaseFrom(leaseFile: string): Promise<string> {
  if (leaseFile !== '-') return readLeaseFile(leaseFile);
  return leaseTextIn(await standardInput(), 'the standard input');
}
