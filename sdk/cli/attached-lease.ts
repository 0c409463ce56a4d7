import { IllegalArgumentError, type Lease } from '../index.ts';
import { type ConnectionOptions, connectLocks } from './connect.ts';
import { damaged, leaseTextIn, readLeaseFile } from './lease-file.ts';
import type { HoldReader } from './lease-file-changes.ts';
import { standardInput } from './standard-input.ts';

export interface AttachedLease {
  readonly lease: Lease;
  /** Reads other leases, of the same locks. */
  readonly holdOf: HoldReader;
}

/**
 * The lease that a lease file holds, or the standard input for `-`. Whoever has the file is the owner: its steps are one,
 * and may repeat what was interrupted.
 *
 * @throws UsageError when there is no lease in it
 */
export async function attachedLease(
  leaseFile: string,
  { url }: Pick<ConnectionOptions, 'url'>,
): Promise<AttachedLease> {
  const source = leaseFile === '-' ? 'the standard input' : `the lease file ${leaseFile}`;
  const text = leaseFile === '-' ? leaseTextIn(await standardInput(), source) : readLeaseFile(leaseFile);
  const locks = await connectLocks({ url });
  const attach = (leaseText: string) => {
    try {
      return locks.attach(leaseText, { renewal: 'manual' });
    } catch (error) {
      if (error instanceof IllegalArgumentError) throw damaged(source);
      throw error;
    }
  };
  return { lease: attach(text), holdOf: attach };
}
