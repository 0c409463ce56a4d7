import { acquireLease } from './acquiring.ts';
import { Interruption } from './interruption.ts';
import { checkNewLeaseFile, createLeaseFile } from './lease-file.ts';
import { type LeaseOutput, printLease, reportOf } from './lease-report.ts';
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
    if (leaseFile !== undefined) {
      try {
        await createLeaseFile(leaseFile, text);
      } catch (error) {
        await giveBack(text, options.url);
        throw error;
      }
    }
    await printLease(report, text, options);
    return 0;
  } catch (error) {
    if (interruption.exitCode === undefined) throw error;
    return interruption.exitCode;
  }
}

// Nobody else knows the lease, so nobody else could give it back.
async function giveBack(text: string, url: string | undefined): Promise<void> {
  const { connectLocks } = await import('./connect.ts');
  const locks = await connectLocks({ url });
  const lease = await locks.adopt(text, { renewal: 'manual' });
  await lease.release();
}
