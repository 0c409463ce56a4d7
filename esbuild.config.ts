import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { BundledPackages } from './esbuild.licences.ts';
import manifest from './package.json';
import { routes } from './sdk/wire/routes.ts';

const functionsFolder = join(__dirname, 'dist/functions');
const sdkFolder = join(__dirname, 'dist/sdk');
const infraFolder = join(__dirname, 'dist/infra');
const commandFolder = join(__dirname, 'dist/cli');
const typesFolder = join(__dirname, 'dist/types');
const retryStrategy = 'node_modules/@smithy/core/dist-es/submodules/retry/util-retry/ConfiguredRetryStrategy.js';
const packages = new BundledPackages();
const sdkEntries = ['index', 'auto', 'memory', 'embedded', 'opentelemetry'];

/** The Lambda functions, each an entry of the same name in `lambda/`. */
export const functionNames = [...new Set(Object.values(routes).map((route) => route.function))];

// A CommonJS package in the bundle calls require for Node's own modules, and an ES module has none.
const commonJsBanner = {
  js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
};

/** How a function is bundled, AWS SDK included. */
export const functionBundle = {
  bundle: true,
  minify: true,
  treeShaking: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Packages that ship both get their ES modules bundled: only those can be shaken.
  mainFields: ['module', 'main'],
  banner: commonJsBanner,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Bundles each Lambda function to `dist/functions/<name>/index.mjs`. */
async function bundleFunctions(): Promise<void> {
  await rm(functionsFolder, { recursive: true, force: true });
  for (const name of functionNames) {
    const outfile = join(functionsFolder, name, 'index.mjs');
    await build({
      ...functionBundle,
      entryPoints: [join(__dirname, 'lambda', `${name}.ts`)],
      outfile,
      // Beside the bundle for whoever reads a stack trace; not deployed.
      sourcemap: 'external',
      plugins: [packages.plugin],
    });
    const { size } = await stat(outfile);
    process.stdout.write(`${name.padEnd(8)} ${(size / 1024).toFixed(0).padStart(5)} KiB\n`);
  }
}

/**
 * Bundles the SDK's entries to `dist/sdk`, as ES modules and as CommonJS. What a user's project has installed stay
 * packages; what it need not have is bundled.
 *
 * The entries of one format share what they have in common: an error is of one class, whichever entry it came from.
 */
async function bundleSdk(): Promise<void> {
  await rm(sdkFolder, { recursive: true, force: true });
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const common: BuildOptions = {
    outdir: sdkFolder,
    bundle: true,
    platform: 'neutral',
    target: 'es2022',
    sourcemap: true,
    logLevel: 'warning',
  };
  const modules = await build({
    ...common,
    entryPoints: sdkEntries.map((name) => join(__dirname, 'sdk', `${name}.ts`)),
    format: 'esm',
    splitting: true,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'shared-[hash]',
    // The AWS SDK brings this package along, but not to where strict package managers let others find it. All of it would
    // be a dozen times as much as the one class.
    alias: { '@smithy/core/retry': join(__dirname, retryStrategy) },
    external: [...installed, ...installed.map((name) => `${name}/*`), 'node:*'],
    metafile: true,
    plugins: [packages.plugin],
  });
  // CommonJS cannot be split, but what was split can be converted, file by file.
  await build({
    ...common,
    entryPoints: Object.keys(modules.metafile.outputs).filter((file) => file.endsWith('.mjs')),
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    // What is imported later is required later.
    supported: { 'dynamic-import': false },
    packages: 'external',
    plugins: [besideAsCommonJs],
  });
}

/**
 * Bundles the `holdfast` command, with all that it needs: it works wherever there is a Node. What only some of it needs
 * lies in files beside it, loaded then.
 *
 * @param folder replaced by what is built
 */
export async function bundleCommand(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    entryPoints: [{ in: join(__dirname, 'sdk/cli/main.ts'), out: 'holdfast' }],
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'part-[hash]',
    mainFields: ['module', 'main'],
    banner: commonJsBanner,
    external: ['classic-level'],
    plugins: [levelWhenUsed, dynaliteInOnePiece, packages.plugin],
    logLevel: 'warning',
  });
}

/**
 * The local stack keeps its locks in memory, unless it is given a folder: only then is classic-level wanted, which is
 * native and cannot be bundled.
 */
const levelWhenUsed: Plugin = {
  name: 'level-when-used',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]level[\\/]index\.js$/ }, () => ({
      contents: `exports.Level = function (...args) { return new (require('classic-level').ClassicLevel)(...args); };`,
    }));
  },
};

/** dynalite finds its operations by names put together, without the ending that a bundler needs to know them by. */
const dynaliteInOnePiece: Plugin = {
  name: 'dynalite-in-one-piece',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]dynalite[\\/]index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace(
        /require\('\.\/(actions|validations)\/' \+ action\)/g,
        "require('./$1/' + action + '.js')",
      );
      if (contents === source) throw new Error(`${path} loads its operations in another way than it did`);
      return { contents };
    });
  },
};

/** Leaves a module that lies beside the importing one where it is, in its CommonJS form. */
const besideAsCommonJs: Plugin = {
  name: 'beside-as-commonjs',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/.*\.mjs$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.mjs$/, '.cjs'), external: true },
    );
  },
};

/**
 * Bundles the construct to `dist/infra`, as CommonJS only: it finds the functions' bundles from where it lies itself,
 * which an ES module could not say in both formats.
 */
async function bundleInfra(): Promise<void> {
  await rm(infraFolder, { recursive: true, force: true });
  await build({
    entryPoints: [join(__dirname, 'infra/index.ts')],
    outfile: join(infraFolder, 'index.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    sourcemap: true,
    packages: 'external',
    logLevel: 'warning',
  });
}

/** Makes the folder of types for those who import the package: there they are an ES module's. */
async function prepareTypes(): Promise<void> {
  await rm(typesFolder, { recursive: true, force: true });
  await mkdir(join(typesFolder, 'esm'), { recursive: true });
  await writeFile(join(typesFolder, 'esm', 'package.json'), '{ "type": "module" }\n');
}

// Tests bundle the command and the functions by themselves.
if (require.main === module) {
  const all = [bundleFunctions(), bundleSdk(), bundleInfra(), bundleCommand(commandFolder), prepareTypes()];
  Promise.all(all)
    .then(async () => writeFile(join(__dirname, 'dist/third-party-licences.txt'), await packages.licences()))
    .catch((fault: unknown) => {
      process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
      process.exitCode = 1;
    });
}
