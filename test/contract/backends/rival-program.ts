import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const esbuild = join(__dirname, '..', '..', '..', 'node_modules', '.bin', 'esbuild');

let folder: string | undefined;
let program: Promise<string> | undefined;

afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** The file of the program that rivals run, in one piece: many of them start quickly. */
export function rivalProgram(): Promise<string> {
  program ??= build();
  return program;
}

async function build(): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-rival-'));
  const file = join(folder, 'rival.cjs');
  const bundle = ['--bundle', '--platform=node', '--log-level=error', `--outfile=${file}`];
  await promisify(execFile)(esbuild, [join(__dirname, 'rival.ts'), ...bundle]);
  return file;
}
