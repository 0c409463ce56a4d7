import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { ExampleProcess } from './example-process.ts';

let stack: LocalStackProcess;
let folder: string;
let log: string;
let nodes: [ExampleProcess, ExampleProcess];

beforeAll(async () => {
  stack = await startLocalStack();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  log = join(folder, 'orders.log');
  const start = () =>
    new ExampleProcess('sdk/examples/idempotent-webhook/idempotent-webhook.ts', { url: stack.url, args: [0, folder] });
  nodes = [start(), start()];
});

afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

async function deliver(node: ExampleProcess, id: string, body: string) {
  const [line = ''] = await node.printed(/^listening on /);
  const headers = { 'delivery-id': id };
  const response = await fetch(`http://127.0.0.1:${line.replace(/\D/g, '')}`, { method: 'POST', headers, body });
  return { status: response.status, ...(await response.json()) };
}

test('twenty deliveries of one thing, to two nodes at once, are handled once and counted', async () => {
  const to = nodes.flatMap((node) => Array.from({ length: 10 }, () => node));
  const answers = await Promise.all(to.map((node) => deliver(node, 'd1', '{"order":42}')));
  const inOrder = answers.sort((a, b) => a.redeliveries - b.redeliveries);
  expect(inOrder).toEqual([
    { status: 200, outcome: 'handled', redeliveries: 0 },
    ...Array.from({ length: 19 }, (_, at) => ({ status: 200, outcome: 'duplicate', redeliveries: at + 1 })),
  ]);
  expect(await readFile(log, 'utf8')).toBe('order 42\n');
});

test('other deliveries are handled by themselves', async () => {
  await rm(log);
  const answers = await Promise.all(nodes.map((node, at) => deliver(node, `other/${at}`, `{"order":${at}}`)));
  expect(answers).toEqual([0, 1].map(() => ({ status: 200, outcome: 'handled', redeliveries: 0 })));
  expect((await readFile(log, 'utf8')).split('\n').sort()).toEqual(['', 'order 0', 'order 1']);
});

test('a delivery that fails is tried again when it is redelivered, and given up in the end', async () => {
  const answers = [];
  for (const node of [...nodes, ...nodes, ...nodes]) answers.push(await deliver(node, 'bad', 'no JSON'));
  const failed = { status: 500, error: expect.stringContaining('SyntaxError') };
  const givenUp = (redeliveries: number) => ({ status: 200, outcome: 'given up', redeliveries });
  expect(answers).toEqual([failed, failed, failed, failed, givenUp(4), givenUp(5)]);
});

test('a node that dies midway: the redelivery to another is handled, and counted', async () => {
  const [dying, other] = nodes;
  // Opening a pipe to write lasts until somebody reads: the handler is in the middle of it.
  await rm(log);
  await promisify(execFile)('mkfifo', [log]);
  const lost = expect(deliver(dying, 'd2', '{"order":43}')).rejects.toThrow('fetch failed');
  await dying.printed(/^handling d2, redeliveries: 0$/);
  await dying.kill();
  await lost;

  const again = deliver(other, 'd2', '{"order":43}');
  await other.printed(/^handling d2, redeliveries: 1$/);
  expect(await readFile(log, 'utf8')).toBe('order 43\n');
  expect(await again).toEqual({ status: 200, outcome: 'handled', redeliveries: 1 });
  expect(await deliver(other, 'd2', '{"order":43}')).toEqual({ status: 200, outcome: 'duplicate', redeliveries: 2 });
});
