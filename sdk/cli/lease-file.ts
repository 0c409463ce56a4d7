import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { access, lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OutputError } from './standard-output.ts';
import { UsageError } from './usage-error.ts';

// An id and a label of 512 and 256 bytes in JSON in base64url, and more.
const longestBytes = 16_384;

/**
 * Checks that a lease can be kept in a file that is not there yet, before there is a lease.
 *
 * @throws UsageError saying why not
 */
export async function checkNewLeaseFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found) throw alreadyThere(path);
  try {
    await access(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(`the lease file ${path} cannot be made: ${(error as Error).message}`);
  }
}

/**
 * Makes a lease file that only this user can read. Nothing that is there already is touched or followed.
 *
 * @throws UsageError when there is one already
 * @throws OutputError when it cannot be written; then there is none
 */
export async function createLeaseFile(path: string, text: string): Promise<void> {
  try {
    await writeLeaseFile(path, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyThere(path);
    throw new OutputError(`the lease file ${path} cannot be written: ${(error as Error).message}`);
  }
}

/**
 * Reads a lease file.
 *
 * @throws UsageError unless it is a file of this user that nobody else can read, and holds a lease
 */
export function readLeaseFile(path: string): string {
  const file = openLeaseFile(path);
  try {
    const { uid, mode, size } = fstatSync(file);
    const isFile = (mode & constants.S_IFMT) === constants.S_IFREG;
    if (!isFile) throw new UsageError(`the lease file ${path} is no regular file`);
    const user = process.geteuid?.();
    if (uid !== user) {
      throw new UsageError(
        `the lease file ${path} belongs to user ${uid}, not to ${user}: whoever made it holds the lock`,
      );
    }
    if ((mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0');
      throw new UsageError(`the lease file ${path} is open to other users (mode ${shown}); it is a secret: chmod 600`);
    }
    const source = `the lease file ${path}`;
    if (size > longestBytes) throw damaged(source);
    return leaseTextIn(readFileSync(file, 'utf8'), source);
  } finally {
    closeSync(file);
  }
}

/**
 * The lease in a text that a lease file or a pipe gave.
 *
 * @param source for the error
 * @throws UsageError, which does not show the text, when there is none
 */
export function leaseTextIn(text: string, source: string): string {
  const [line = '', ...rest] = text.split('\n');
  if (/^holdfast-lease\.\d+\.[A-Za-z0-9_-]+$/.test(line) && rest.join('') === '') return line;
  throw damaged(source);
}

function openLeaseFile(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new UsageError(`the lease file ${path} cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}`);
  }
}

/** Writes a new file. What is there already is never touched; what cannot be written whole is gone again. */
export async function writeLeaseFile(path: string, text: string): Promise<void> {
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    await file.writeFile(`${text}\n`);
    await file.sync();
  } catch (error) {
    // An empty one would stand in the way of the next.
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function alreadyThere(path: string): UsageError {
  return new UsageError(
    `the lease file ${path} is there already: give its lock back with "holdfast release", or name another file`,
  );
}

/** @param source what does not hold a lease, which the error does not show */
export function damaged(source: string): UsageError {
  return new UsageError(`${source} is damaged: it does not hold the text of one lease`);
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file';
  return code === 'ELOOP' ? 'it is a symbolic link' : message;
}
