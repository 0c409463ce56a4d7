import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { ExampleProcess, printed } from './example-process.ts';

let stack: LocalStackProcess;
let folder: string;

beforeAll(async () => {
  stack = await startLocalStack();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
});

afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

test('three nodes handle each file once, also the file of one that is killed meanwhile', async () => {
  const [inbox, outside] = [join(folder, 'inbox'), join(folder, 'outside')];
  await Promise.all([mkdir(inbox), mkdir(outside)]);
  const poll = () => new ExampleProcess('sdk/examples/file-polling/file-polling.ts', { url: stack.url, args: [inbox] });
  const nodes = [poll(), poll(), poll()];
  await Promise.all(nodes.map((node) => node.printed(/^polling /)));

  // Reading a pipe lasts until somebody writes to it: whoever takes this file is in the middle of it.
  const pipe = join(inbox, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  await printed(nodes, /^handling pipe$/, 1);
  const others = nodes.filter((node) => node.lines(/pipe/).length === 0);
  expect(others).toHaveLength(2);

  const names = Array.from({ length: 20 }, (_, at) => `file-${at}`);
  for (const name of names) {
    await writeFile(join(outside, name), name);
    await rename(join(outside, name), join(inbox, name));
  }
  await printed(others, /^handled /, names.length);
  expect(await readdir(inbox)).toEqual(['done', 'pipe']);

  expect(others.flatMap((node) => node.lines(/pipe/))).toEqual([]);
  await nodes.find((node) => !others.includes(node))?.kill();
  await printed(others, /^handling pipe$/, 1);
  await writeFile(pipe, 'what was in the pipe');
  await printed(others, /^handled pipe: 20 characters$/, 1);

  for (const node of others) node.send('SIGINT');
  expect(await Promise.all(others.map((node) => node.ended()))).toEqual([0, 0]);
  const each = [...names, 'pipe'].sort();
  const handled = nodes.flatMap((node) => node.lines(/^handled /)).map((line) => /\S+(?=:)/.exec(line)?.[0]);
  expect(handled.sort()).toEqual(each);
  expect((await readdir(join(inbox, 'done'))).sort()).toEqual(each);
  expect(await readdir(inbox)).toEqual(['done']);
});
