import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const root = join(__dirname, '../..');

/** A program that uses the http SDK, in one file. */
export interface HttpBundle {
  readonly code: string;
  /** What it imports still; everything that could be bundled was. */
  readonly imports: readonly string[];
  /** Bytes of the file that come from each source. */
  readonly sources: Metafile['outputs'][string]['inputs'];
}

/**
 * Bundles a program for no runtime in particular: nothing of Node is known to the bundler.
 *
 * @param source TypeScript that imports `./sdk/index.ts`, or a file's path from the project's root as `export … from`
 */
export async function bundleForHttp(source: string, { minify = false } = {}): Promise<HttpBundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [output] = Object.values(metafile.outputs);
  return {
    code: outputFiles[0]?.text ?? '',
    imports: output?.imports.map(({ path }) => path) ?? [],
    sources: output?.inputs ?? {},
  };
}
