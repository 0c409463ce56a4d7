import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../usage-error.ts';
import type { Options } from './options.ts';

/** Where reports will be written: one folder for each database where there are two, none where nobody asked for any. */
export function foldersOf({ out, database }: Pick<Options, 'out' | 'database'>): string[] {
  if (out === undefined) return [];
  return database === 'both' ? [folderFor('dynalite', out), folderFor('dynamodb-local', out)] : [out];
}

/** That of one of two databases. */
export function folderFor(database: 'dynalite' | 'dynamodb-local', out: string): string {
  return join(out, database);
}

/**
 * Makes them, unless they are there, and writes into each: before anything is measured, for afterwards it would be lost.
 *
 * @throws UsageError where that cannot be
 */
export async function makeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await rmdir(await mkdtemp(join(folder, '.written-')));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`--out must be a folder that can be made and written to, got ${folder} (${code})`, {
        cause: error,
      });
    }
  }
}
