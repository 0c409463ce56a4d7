import { IllegalArgumentError, type Lease } from '../index.ts';
import { type ConnectionOptions, connectLocks } from './connect.ts';
import { damaged, leaseTextIn, readLeaseFile } from './lease-file.ts';
import { standardInput } from './standard-input.ts';

/**
 * The lease that a lease file holds, or the standard input for `-`. Whoever has the file is the owner: its steps are one,
 * and may repeat what was interrupted.
 *
 * @throws UsageError when there is no lease in it
 */
export async function attachedLease(leaseFile: string, { url }: Pick<ConnectionOptions, 'url'>): Promise<Lease> {
  const source = leaseFile === '-' ? 'the standard input' : `the lease file ${leaseFile}`;
  const text = leaseFile === '-' ? leaseTextIn(await standardInput(), source) : await readLeaseFile(leaseFile);
  const locks = await connectLocks({ url });
  try {
    return locks.attach(text, { renewal: 'manual' });
  } catch (error) {
    if (error instanceof IllegalArgumentError) throw damaged(source);
    throw error;
  }
}
