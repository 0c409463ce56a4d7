import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { routes } from './sdk/wire/routes.ts';

const functionsFolder = join(__dirname, 'dist/functions');
const sdkFolder = join(__dirname, 'dist/sdk');

/** Bundles each Lambda function, AWS SDK included, to `dist/functions/<name>/index.mjs`. */
async function bundleFunctions(): Promise<void> {
  await rm(functionsFolder, { recursive: true, force: true });
  const names = new Set(Object.values(routes).map((route) => route.function));
  for (const name of names) {
    const outfile = join(functionsFolder, name, 'index.mjs');
    await build({
      entryPoints: [join(__dirname, 'lambda', `${name}.ts`)],
      outfile,
      bundle: true,
      minify: true,
      treeShaking: true,
      platform: 'node',
      target: 'node24',
      format: 'esm',
      // Packages that ship both get their ES modules bundled: only those can be shaken.
      mainFields: ['module', 'main'],
      // A CommonJS package in the bundle calls require for Node's own modules, and an ES module has none.
      banner: {
        js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
      },
      // Beside the bundle for whoever reads a stack trace; not deployed.
      sourcemap: 'external',
      logLevel: 'warning',
    });
    const { size } = await stat(outfile);
    process.stdout.write(`${name.padEnd(8)} ${(size / 1024).toFixed(0).padStart(5)} KiB\n`);
  }
}

/** Bundles the SDK to `dist/sdk`, as an ES module and as CommonJS; its two dependencies stay packages. */
async function bundleSdk(): Promise<void> {
  await rm(sdkFolder, { recursive: true, force: true });
  for (const [format, extension] of [
    ['esm', 'mjs'],
    ['cjs', 'cjs'],
  ] as const) {
    await build({
      entryPoints: [join(__dirname, 'sdk/index.ts')],
      outfile: join(sdkFolder, `index.${extension}`),
      bundle: true,
      packages: 'external',
      platform: 'neutral',
      target: 'es2022',
      format,
      sourcemap: true,
      logLevel: 'warning',
    });
  }
}

Promise.all([bundleFunctions(), bundleSdk()]).catch((fault: unknown) => {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exitCode = 1;
});
