import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import manifest from '../../../package.json';
import { Counter } from '../../../sdk/examples/shared-counter/counter.ts';
import { LockFactory } from '../../../sdk/index.ts';
import { connectMemory } from '../../../sdk/memory.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { ExampleProcess } from './example-process.ts';
import { waiters } from './waiters.ts';

const root = join(__dirname, '..', '..', '..');
let stack: LocalStackProcess;
let folder: string;
let file: string;

beforeAll(async () => {
  stack = await startLocalStack();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  file = join(folder, 'count');
  await writeFile(file, '0');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

afterAll(() => stack.stop());

/** The script, in a folder where the package of this very source is installed: `dist` may be older, or missing. */
async function installScript(): Promise<string> {
  const installed = join(folder, 'node_modules', manifest.name);
  await build({
    entryPoints: [join(root, 'sdk', 'index.ts')],
    outfile: join(installed, manifest.exports['.'].import.default),
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    logLevel: 'warning',
  });
  await copyFile(join(root, 'package.json'), join(installed, 'package.json'));
  const script = join(folder, 'script.mjs');
  await copyFile(join(root, 'sdk/examples/shared-counter/script.mjs'), script);
  return script;
}

test('an injected class and a script that looks the factory up count together, and lose nothing', async () => {
  const times = 20;
  const atFirst = LockFactory.connect({ url: stack.url }).createLock('shared-counter');
  await atFirst.lock();
  const options = { url: stack.url, args: [file, times] };
  const processes = [
    new ExampleProcess('sdk/examples/shared-counter/shared-counter.ts', options),
    new ExampleProcess(await installScript(), options),
  ];
  // They begin together: when both stand in line.
  await waiters(stack.url, 'shared-counter', processes.length);
  await atFirst.unlock();
  expect(await Promise.all(processes.map((each) => each.ended()))).toEqual([0, 0]);
  expect(await readFile(file, 'utf8')).toBe(String(2 * times));
});

test('two operations of the class in one process do not collide, with a factory in memory', async () => {
  const counter = new Counter(connectMemory(), file);
  await Promise.all(Array.from({ length: 20 }, () => counter.increment()));
  expect(await readFile(file, 'utf8')).toBe('20');
});
