import { displayText, LeaseLostError } from '../index.ts';
import { connectLocks } from './connect.ts';
import { removeLeaseFile, replaceLeaseFile } from './lease-file.ts';
import { leaseFrom } from './renew.ts';
import { print, printJson } from './standard-output.ts';

export interface ReleaseOptions {
  /** `-`: the standard input. */
  readonly leaseFile: string;
  readonly json: boolean;
  readonly url: string | undefined;
}

/** Gives a lock back that another step took, and removes the lease file, also of a lease that is lost. */
export async function release({ leaseFile, json, url }: ReleaseOptions): Promise<number> {
  const text = await leaseFrom(leaseFile);
  const isFile = leaseFile !== '-';
  const locks = await connectLocks({ url });
  try {
    const lease = await locks.adopt(text, { renewal: 'manual' });
    try {
      await lease.release();
    } catch (error) {
      // The text is used up by now: what is still held is kept under its new one, for another try.
      if (isFile && lease.isHeld) await replaceLeaseFile(leaseFile, lease.export());
      else if (isFile) await removeLeaseFile(leaseFile);
      throw error;
    }
    if (isFile) await removeLeaseFile(leaseFile);
    const { lockId } = lease;
    await (json ? printJson({ lockId, released: true }) : print(`released ${displayText(lockId)}\n`));
    return 0;
  } catch (error) {
    if (error instanceof LeaseLostError && isFile) await removeLeaseFile(leaseFile);
    throw error;
  }
}
