import { displayText, LeaseLostError } from '../index.ts';
import { attachedLease } from './attached-lease.ts';
import { removeLeaseFile } from './lease-file.ts';
import type { StandardError } from './standard-error.ts';
import { OutputError, print, printJson } from './standard-output.ts';

export interface ReleaseOptions {
  /** `-`: the standard input. */
  readonly leaseFile: string;
  readonly json: boolean;
  readonly url: string | undefined;
}

/**
 * Gives a lock back that another step took, and removes the lease file, also of a lease that is lost. After any other
 * fault the file is there as before, and the release can be repeated.
 *
 * @throws OutputError when the lock was given back and the file cannot be removed
 */
export async function release({ leaseFile, json, url }: ReleaseOptions, standardError: StandardError): Promise<number> {
  const lease = await attachedLease(leaseFile, { url });
  const { lockId } = lease;
  try {
    await lease.release();
  } catch (error) {
    if (error instanceof LeaseLostError) {
      const fault = await removalFault(leaseFile);
      if (fault) standardError.say(`the lease file ${leaseFile} cannot be removed: ${fault}`);
    }
    throw error;
  }
  const fault = await removalFault(leaseFile);
  if (fault) {
    throw new OutputError(
      `lock ${displayText(lockId)} was given back, but its lease file ${leaseFile} cannot be removed: ${fault}`,
    );
  }
  await (json ? printJson({ lockId, released: true }) : print(`released ${displayText(lockId)}\n`));
  return 0;
}

async function removalFault(leaseFile: string): Promise<string | undefined> {
  if (leaseFile === '-') return undefined;
  try {
    await removeLeaseFile(leaseFile);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
