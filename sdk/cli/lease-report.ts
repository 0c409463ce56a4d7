import { displayText, type Lease } from '../index.ts';
import { durationText } from './duration.ts';
import { print, printJson } from './standard-output.ts';

/** What is known of a lease before it is exported. */
export interface LeaseReport {
  readonly lockId: string;
  readonly fencingToken: number;
  /** Milliseconds. */
  readonly remainingMs: number;
  /** RFC 3339, by this machine's clock. */
  readonly deadline: string;
}

export function reportOf({ lockId, fencingToken, remainingMs }: Lease): LeaseReport {
  return { lockId, fencingToken, remainingMs, deadline: new Date(Date.now() + remainingMs).toISOString() };
}

/** Where the text of a lease goes, which is a secret. */
export interface LeaseOutput {
  /** The file that holds it. */
  readonly leaseFile?: string | undefined;
  /** Whether it was asked for on the standard output. */
  readonly printLease: boolean;
  readonly json: boolean;
}

/** Prints what a script needs to go on with a lease, the lease itself only where it was asked for. */
export async function printLease(report: LeaseReport, text: string, output: LeaseOutput): Promise<void> {
  const { leaseFile, printLease: isPrinted, json } = output;
  if (json)
    return printJson({ ...report, ...(leaseFile !== undefined && { leaseFile }), ...(isPrinted && { lease: text }) });
  if (isPrinted) return print(`${text}\n`);
  const { lockId, fencingToken, remainingMs, deadline } = report;
  const shownId = displayText(lockId);
  await print(
    `holding ${shownId}, fencing token ${fencingToken}, for ${durationText(remainingMs)}, until ${deadline}\n`,
  );
}
