import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { functionBundle, functionNames } from '../../../esbuild.config.ts';
import { addDependencyImports, type DependencyImports, entryThatImports } from '../../support/dependency-imports.ts';

const root = join(__dirname, '../../..');

/** The functions' bundling, in memory: the size in bytes, and the sources of this project in it. */
async function bundled(options: BuildOptions): Promise<{ bytes: number; sources: string[]; code: string }> {
  const { outputFiles, metafile } = await build({
    ...functionBundle,
    ...options,
    absWorkingDir: root,
    write: false,
    metafile: true,
  });
  const [output] = outputFiles ?? [];
  return {
    bytes: output?.contents.length ?? 0,
    sources: Object.keys(metafile?.inputs ?? {}).filter((file) => /^(sdk|lambda)\//.test(file)),
    code: output?.text ?? '',
  };
}

describe.each(functionNames)('the bundle of %s', (name) => {
  let whole: Awaited<ReturnType<typeof bundled>>;
  beforeAll(async () => {
    whole = await bundled({ entryPoints: [`lambda/${name}.ts`] });
  });

  it('is at most 450 KB', () => {
    expect(whole.bytes).toBeGreaterThan(100_000);
    expect(whole.bytes).toBeLessThanOrEqual(450_000);
  });

  it('is at most 15 % larger than what it depends on alone', async () => {
    const imports: DependencyImports = new Map();
    for (const source of whole.sources) addDependencyImports(imports, readFileSync(join(root, source), 'utf8'));
    expect([...imports.keys()].sort()).toEqual([
      '@aws-lambda-powertools/logger',
      '@aws-lambda-powertools/metrics',
      '@aws-sdk/client-dynamodb',
      '@aws-sdk/lib-dynamodb',
      '@aws-sdk/util-dynamodb',
      '@smithy/core/retry',
      'zod/mini',
    ]);
    const dependencies = await bundled({ stdin: { contents: entryThatImports(imports), resolveDir: root } });
    expect(dependencies.bytes).toBeLessThan(whole.bytes);
    expect(whole.bytes / dependencies.bytes).toBeLessThanOrEqual(1.15);
  });

  it('holds nothing of the local stack', () => {
    expect(whole.code).not.toContain('dynalite');
    expect(whole.sources.filter((file) => file.startsWith('lambda/local/'))).toEqual([]);
  });
});
