import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ApiEntry } from './public-api.ts';

/** What `print.ts` tells of a package. */
export interface PrintedApi {
  readonly entries: readonly ApiEntry[];
  /** What docstrings lack. */
  readonly faults: readonly string[];
  /** The API page, as it should be. */
  readonly page: string;
}

/** The public API of the package in a folder. */
export function publicApiOf(root: string): PrintedApi {
  const program = ['--import', 'tsx', join(__dirname, 'print.ts'), root];
  const cwd = join(__dirname, '../../..');
  const printed = execFileSync(process.execPath, program, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return JSON.parse(printed) as PrintedApi;
}
