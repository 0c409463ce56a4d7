import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { functionBundle, functionNames } from '../../esbuild.config.ts';
import { environmentNames } from '../../lambda/names.ts';
import { type Figure, median, ms, tailOf } from './figures.ts';
import type { Part } from './part.ts';

const root = join(__dirname, '../..');

// The least that a function over DynamoDB can be: the client alone, made and not used.
const bareClient = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
export const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
`;

const timedImport = `
const startedMs = performance.now();
await import(process.argv[2]);
process.stdout.write(String(performance.now() - startedMs));
`;

const environment = {
  [environmentNames.table]: 'locks',
  [environmentNames.authorization]: 'iam',
  AWS_REGION: 'us-east-1',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly importMs: number[];
}

/** How long a fresh process takes to import each function's bundle, beside a bundle of the bare client. */
export const importing: Part = async ({ quick }) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cold-'));
  try {
    const timer = join(folder, 'timed-import.mjs');
    await writeFile(timer, timedImport);
    const bare = await bundled(folder, 'bare', { stdin: { contents: bareClient, resolveDir: root } });
    const functions: Bundle[] = [];
    for (const name of functionNames) {
      functions.push(await bundled(folder, name, { entryPoints: [join(root, 'lambda', `${name}.ts`)] }));
    }
    // In turn, so that what disturbs one disturbs them all; the first round only fills the cache of the disk.
    const rounds = quick ? 10 : 50;
    for (let round = 0; round <= rounds; round++) {
      for (const bundle of [bare, ...functions]) {
        const importMs = await importMsOf(timer, bundle.file);
        if (round > 0) bundle.importMs.push(importMs);
      }
    }
    return [bare, ...functions].map((bundle) => figureOf(bundle, bare));
  } finally {
    await rm(folder, { recursive: true });
  }
};

async function bundled(folder: string, name: string, source: BuildOptions): Promise<Bundle> {
  const file = join(folder, name, 'index.mjs');
  await build({ ...functionBundle, ...source, outfile: file });
  return { name, file, bytes: (await stat(file)).size, importMs: [] };
}

async function importMsOf(timer: string, file: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [timer, pathToFileURL(file).href], {
    env: environment,
  });
  return Number(stdout);
}

function figureOf({ name, bytes, importMs }: Bundle, bare: Bundle): Figure {
  const middle = median(importMs);
  const tail = tailOf(importMs, 95);
  const spread = `fastest ${ms(Math.min(...importMs))}, ${tail.name} ${ms(tail.value)}, ${importMs.length} processes, ${Math.round(bytes / 1_000)} KB`;
  if (name === bare.name) {
    return { figure: 'a client of the AWS SDK alone: import, median', measured: `${ms(middle)} (${spread})` };
  }
  const ratio = (middle / median(bare.importMs)).toFixed(2);
  return { figure: `${name}: import, median`, measured: `${ms(middle)} (${ratio} × the client alone; ${spread})` };
}
