import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
});

afterEach(() => rm(folder, { recursive: true }));

function start(): Promise<LocalStackProcess> {
  return startLocalStack({ args: ['--data', folder] });
}

async function post(stack: LocalStackProcess, operation: string, body: object) {
  const response = await fetch(`${stack.url}/v1/locks/kept/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test.each([
  ['a clean stop', (stack: LocalStackProcess) => stack.stop()],
  ['a crash', (stack: LocalStackProcess) => stack.kill()],
])('after %s a lock is still held, and its token still gives it back', async (_how, end) => {
  const first = await start();
  const { body: held } = await post(first, 'try', { holder: 'before', leaseMs: 600_000 });
  await end(first);

  const second = await start();
  expect(await post(second, 'try', {})).toMatchObject({ status: 409, body: { code: 'lock-held', holder: 'before' } });
  const renewed = await post(second, 'renew', { ownerToken: held.ownerToken });
  expect(renewed).toMatchObject({ status: 200, body: { fencingToken: held.fencingToken } });
  expect(await post(second, 'release', { ownerToken: held.ownerToken })).toMatchObject({ status: 200 });
  const next = await post(second, 'try', {});
  expect(next).toMatchObject({ status: 200 });
  expect(next.body.fencingToken).toBeGreaterThan(held.fencingToken);
  expect(await second.stop()).toBe(0);
});

test('every lock that was granted before a crash in the middle of the work is there after it', async () => {
  const first = await start();
  const granted: string[] = [];
  const take = async (id: string) => {
    const response = await fetch(`${first.url}/v1/locks/${id}/try`, { method: 'POST' });
    if (response.status === 200) granted.push(id);
    // Half of them are granted: the other half is under way.
    if (granted.length === 50) await first.kill();
  };
  await Promise.allSettled(Array.from({ length: 100 }, (_, at) => take(`lock-${at}`)));
  expect(granted.length).toBeGreaterThanOrEqual(50);

  const second = await start();
  for (const id of granted) {
    const view = await fetch(`${second.url}/v1/locks/${id}`);
    expect(await view.json()).toMatchObject({ lockId: id, state: 'held' });
  }
  expect(await second.stop()).toBe(0);
});
