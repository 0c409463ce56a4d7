import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The programs of a chaos run, in one file each: many of them start quickly, on a busy machine too. */
export interface Bundles {
  readonly clock: string;
  readonly worker: string;
  readonly stack: string;
  readonly database: string;
}

const root = join(__dirname, '..', '..', '..', '..');

/** Builds them into a folder. */
export async function buildBundles(folder: string): Promise<Bundles> {
  await mkdir(folder, { recursive: true });
  const entries = {
    clock: join(__dirname, 'clock-offset.ts'),
    worker: join(__dirname, '..', 'worker', 'worker.ts'),
    stack: join(root, 'test', 'bench', 'stack.ts'),
    database: join(__dirname, 'database.ts'),
  };
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
    // dynalite loads files of its own by name, and a native module.
    external: ['dynalite', 'dynalite/*'],
  });
  return {
    clock: join(folder, 'clock.cjs'),
    worker: join(folder, 'worker.cjs'),
    stack: join(folder, 'stack.cjs'),
    database: join(folder, 'database.cjs'),
  };
}
