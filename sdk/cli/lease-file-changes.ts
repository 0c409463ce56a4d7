import { randomUUID } from 'node:crypto';
import { lstatSync, renameSync, rmSync } from 'node:fs';
import type { Lease } from '../index.ts';
import { readLeaseFile, writeLeaseFile } from './lease-file.ts';
import { UsageError } from './usage-error.ts';

/** What tells a lease from those of other holds. */
export type Hold = Pick<Lease, 'lockId' | 'fencingToken'>;

/** Reads the text of a lease; throws a UsageError for one that is none. */
export type HoldReader = (text: string) => Hold;

/** What is at the path of a lease file: a lease of the hold that was there, something else, or nothing. */
export type AtPath = 'same hold' | 'another' | 'nothing';

// While a request was under way other steps may have used the file, too: renewed its lease, or released it and even put
// that of the next hold there. So each change looks first, and only what is of the same hold is changed.
//
// The look and the change are two calls with nothing in between. This process would have to be stopped there for as long
// as others need to release the lock and take it anew; then nobody could release that hold, which would end with its
// lease. A lock on the file instead would, left by a step that was killed, stop all steps after it.

/**
 * Puts a renewed lease into its lease file, at once: whoever reads it finds the old one or the new one. Of two steps that
 * renew it at once the file may keep the earlier deadline, which is the safe one.
 *
 * @returns what was found
 */
export async function replaceLeaseFile(path: string, text: string, holdOf: HoldReader): Promise<AtPath> {
  // Under a name of its own: one with the process id, left by a step that was killed, would stop that id for ever.
  const beside = `${path}.${randomUUID()}.new`;
  await writeLeaseFile(beside, text);
  try {
    const atPath = compared(holdOf(text), path, holdOf);
    if (atPath === 'same hold') renameSync(beside, path);
    return atPath;
  } finally {
    rmSync(beside, { force: true });
  }
}

/**
 * Removes a lease file.
 *
 * @returns what was found
 */
export function removeLeaseFile(path: string, hold: Hold, holdOf: HoldReader): AtPath {
  const atPath = compared(hold, path, holdOf);
  if (atPath === 'same hold') rmSync(path, { force: true });
  return atPath;
}

function compared({ lockId, fencingToken }: Hold, path: string, holdOf: HoldReader): AtPath {
  try {
    const found = holdOf(readLeaseFile(path));
    return found.lockId === lockId && found.fencingToken === fencingToken ? 'same hold' : 'another';
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return lstatSync(path, { throwIfNoEntry: false }) ? 'another' : 'nothing';
  }
}
