import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

/** Sends a request that waits for the lock; resolves when all of it is on its way. */
async function startWaiting(stack: LocalStackProcess): Promise<{ response: Promise<IncomingMessage> }> {
  const request = httpRequest(`${stack.url}/v1/locks/busy/acquire`, { method: 'POST', agent: false });
  const response = once(request, 'response').then(([message]) => message as IncomingMessage);
  request.end();
  await once(request, 'finish');
  return { response };
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s stops it within two seconds while requests wait', async (signal) => {
  const stack = await startLocalStack();
  expect(await fetch(`${stack.url}/v1/locks/busy/try`, { method: 'POST' })).toMatchObject({ status: 200 });
  const waiting = await Promise.all([startWaiting(stack), startWaiting(stack), startWaiting(stack)]);
  // Answered after the waiting requests were read: they were on their way before this one was begun.
  expect(await fetch(`${stack.url}/v1/locks/busy`)).toMatchObject({ status: 200 });

  const asked = performance.now();
  process.kill(stack.pid, signal);
  process.kill(stack.pid, signal);
  for (const { response } of waiting) {
    const message = await response;
    expect([message.statusCode, await text(message)]).toEqual([503, '{"message":"Service Unavailable"}']);
  }
  expect(await stack.stop()).toBe(0);
  expect(performance.now() - asked).toBeLessThan(2_000);
  await expect(fetch(stack.url)).rejects.toThrow('fetch failed');
});

test('it stops at once when nobody waits, and prints nothing about it', async () => {
  const stack = await startLocalStack();
  await (await fetch(`${stack.url}/v1/locks/busy/try`, { method: 'POST' })).json();
  const printed = stack.output();
  expect(await stack.stop()).toBe(0);
  expect(stack.output()).toBe(printed);
});

test('it stops when npm is told to, although npm tells its shell only', async () => {
  // What npm runs, and what is left of it when npm was told to stop.
  const shell = spawn(
    'sh',
    ['-c', '"$0" --import tsx lambda/local/main.ts --memory --port 0; true', process.execPath],
    {
      env: { ...process.env, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(shell, 'close');
  let printed = '';
  for await (const chunk of shell.stdout) {
    printed += chunk;
    if (printed.includes('Ctrl-C')) shell.kill('SIGTERM');
  }
  // The stack has the other end of this pipe: it closes when the stack is gone.
  await ended;
  const url = /ready on (\S+)/.exec(printed)?.[1] ?? '';
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
