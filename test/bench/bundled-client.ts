import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { functionBundle } from '../../esbuild.config.ts';

/**
 * Bundles a client program, SDK and all, and gives the file to `use`, which is deleted after that.
 *
 * The loader that runs TypeScript here gives every function its name by `Object.defineProperty`, a dictionary of 250 bytes
 * for each closure: what a lock weighs, or what a renewal takes, cannot be measured under it.
 *
 * @param file of this folder
 */
export async function withBundledClient<T>(file: string, use: (bundle: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  try {
    const bundle = join(folder, file.replace(/\.ts$/, '.mjs'));
    await build({
      ...functionBundle,
      target: 'node20',
      minify: false,
      entryPoints: [join(__dirname, file)],
      outfile: bundle,
    });
    return await use(bundle);
  } finally {
    await rm(folder, { recursive: true });
  }
}
