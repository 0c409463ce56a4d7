import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(__dirname, '../../..');
const folder = join(__dirname, 'dist');

const entries = {
  embedded: 'sdk/embedded.ts',
  index: 'sdk/index.ts',
  stack: 'test/bench/stack.ts',
} as const;

/**
 * Builds what is Holdfast's own, without the packages that it uses: as users run it. The loader that runs TypeScript here
 * gives each closure its name when it is made, which takes time and memory that no user pays.
 */
export async function buildHoldfast(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  });
}

/** Where one of them is once it was built. */
export function built(entry: keyof typeof entries): string {
  return join(folder, `${entry}.cjs`);
}
