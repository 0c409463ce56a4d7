import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';
import { ExampleProcess } from './example-process.ts';
import { waiters } from './waiters.ts';

let stack: LocalStackProcess;
let folder: string;
let file: string;
let endpoint: Server;

// The refresh tokens that were sent.
const sent: (string | null)[] = [];
// What the endpoint waits for before it answers.
let mayAnswer = Promise.resolve();

beforeAll(async () => {
  stack = await startLocalStack();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  file = join(folder, 'token.json');
  endpoint = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    sent.push(new URLSearchParams(body).get('refresh_token'));
    const token = { access_token: `access-${sent.length}`, refresh_token: `refresh-${sent.length}`, expires_in: 3_600 };
    await mayAnswer;
    response.end(JSON.stringify(token));
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
});

afterAll(async () => {
  endpoint.close();
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

function callers(count: number): ExampleProcess {
  const address = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  return new ExampleProcess('sdk/examples/oauth-refresh/oauth-refresh.ts', {
    url: stack.url,
    args: [file, address, count],
  });
}

test('50 callers in two processes get one token by one refresh, and later ones the same', async () => {
  await writeFile(file, JSON.stringify({ accessToken: 'old', expiresAtMs: Date.now() - 1, refreshToken: 'refresh-0' }));
  const processes = [callers(25), callers(25)];
  // The callers of one process hold the lock, those of the other wait for it, all with the old token.
  mayAnswer = waiters(stack.url, 'oauth-refresh', 1);
  for (const each of processes) {
    expect(await each.ended()).toBe(0);
    expect(each.output).toBe('25 callers got access-1\n');
  }
  expect(sent).toEqual(['refresh-0']);

  const late = callers(1);
  expect(await late.ended()).toBe(0);
  expect(late.output).toBe('1 callers got access-1\n');
  expect(sent).toEqual(['refresh-0']);
});
