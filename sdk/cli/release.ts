import { displayText, LeaseLostError } from '../index.ts';
import { type AttachedLease, attachedLease } from './attached-lease.ts';
import { removeLeaseFile } from './lease-file-changes.ts';
import type { StandardError } from './standard-error.ts';
import { OutputError, print, printJson } from './standard-output.ts';

export interface ReleaseOptions {
  /** `-`: the standard input. */
  readonly leaseFile: string;
  readonly json: boolean;
  readonly url: string | undefined;
}

/**
 * Gives a lock back that another step took, and removes the lease file, also of a lease that is lost, unless the lease of
 * another hold is in its place by now. After any other fault the file is there as before, and the release can be repeated.
 *
 * @throws OutputError when the lock was given back and the file cannot be removed
 */
export async function release({ leaseFile, json, url }: ReleaseOptions, standardError: StandardError): Promise<number> {
  const attached = await attachedLease(leaseFile, { url });
  const { lease } = attached;
  const { lockId } = lease;
  try {
    await lease.release();
  } catch (error) {
    if (error instanceof LeaseLostError) {
      const fault = removalFault(leaseFile, attached);
      if (fault) standardError.say(`the lease file ${leaseFile} cannot be removed: ${fault}`);
    }
    throw error;
  }
  const fault = removalFault(leaseFile, attached);
  if (fault) {
    throw new OutputError(
      `lock ${displayText(lockId)} was given back, but its lease file ${leaseFile} cannot be removed: ${fault}`,
    );
  }
  await (json ? printJson({ lockId, released: true }) : print(`released ${displayText(lockId)}\n`));
  return 0;
}

function removalFault(leaseFile: string, { lease, holdOf }: AttachedLease): string | undefined {
  if (leaseFile === '-') return undefined;
  try {
    const atPath = removeLeaseFile(leaseFile, lease, holdOf);
    return atPath === 'another' ? 'another is in its place by now, which stays as it is' : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
