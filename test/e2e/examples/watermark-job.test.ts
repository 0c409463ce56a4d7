import { execFile } from 'node:child_process';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LockFactory } from '../../../sdk/index.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { ExampleProcess } from './example-process.ts';

let stack: LocalStackProcess;
let folder: string;
let source: string;
let target: string;

beforeAll(async () => {
  stack = await startLocalStack();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  source = join(folder, 'orders.jsonl');
  target = join(folder, 'total.json');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

afterAll(() => stack.stop());

const run = () =>
  new ExampleProcess('sdk/examples/watermark-job/watermark-job.ts', { url: stack.url, args: [source, target] });

const orders = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${JSON.stringify({ id: from + at, amount: 5 })}\n`).join('');

const total = async () => JSON.parse(await readFile(target, 'utf8'));

test('a run that finds the former one still at it skips', async () => {
  // The source is a pipe: the run that reads it is in the middle of it until the test has written.
  await promisify(execFile)('mkfifo', [source]);
  const first = run();
  await first.printed(/^reading on from 0$/);
  const overlapping = run();
  expect(await overlapping.ended()).toBe(0);
  expect(overlapping.output).toMatch(new RegExp(`^skipped: .* pid ${first.pid} is still at it\n$`));

  await writeFile(source, orders(1, 250));
  expect(await first.ended()).toBe(0);
  expect(first.lines(/^moved/)).toEqual(['moved from 0 to 100', 'moved from 100 to 200', 'moved from 200 to 250']);
  expect(await total()).toEqual({ watermark: 250, sum: 1_250 });
});

test('a run that was killed midway is gone on with where it was, each batch once', async () => {
  await promisify(execFile)('mkfifo', [source]);
  const killed = run();
  // One batch, and half of the next, for which it waits.
  const pipe = await open(source, 'w');
  await pipe.write(orders(1, 150));
  await killed.printed(/^moved from 0 to 100$/);
  await killed.kill();
  await pipe.close();
  expect(await total()).toEqual({ watermark: 100, sum: 500 });

  await rm(source);
  await writeFile(source, orders(1, 300));
  // This waits in line, until the lease of the killed run is over.
  await LockFactory.connect({ url: stack.url }).withLock('watermark-job', () => undefined);
  const runs = [run(), run()];
  expect(await Promise.all(runs.map((each) => each.ended()))).toEqual([0, 0]);
  expect(runs.flatMap((each) => each.lines(/^moved/))).toEqual(['moved from 100 to 200', 'moved from 200 to 300']);
  expect(await total()).toEqual({ watermark: 300, sum: 1_500 });
});
