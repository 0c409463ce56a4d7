import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LockFactory } from '../../sdk/index.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';
import { WorkerProcess } from './worker-process.ts';

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

describe('processes that use one lock', () => {
  it.each(['lock', 'timed tryLock'] as const)('lose no update by %s, on two locks at once', async (by) => {
    const files = ['x', 'y'].map((name) => join(folder, `${name} ${by}`));
    await Promise.all(files.map((file) => writeFile(file, '0')));
    const rounds = 15;
    const workers = files.flatMap((file) =>
      [1, 2].map(() => new WorkerProcess({ kind: 'count', url: stack.url, lockId: `count ${file}`, file, rounds, by })),
    );
    expect(await Promise.all(workers.map((worker) => worker.exited()))).toEqual([0, 0, 0, 0]);
    const counts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    expect(counts).toEqual([String(2 * rounds), String(2 * rounds)]);
  });

  it('go on after the lease of a holder that was killed: the one that waits, with a higher fencing token', async () => {
    const leaseMs = 2_000;
    const task = { kind: 'hold', url: stack.url, lockId: 'killed', leaseMs } as const;
    const holder = new WorkerProcess(task);
    const held = await holder.holding();
    const rival = new WorkerProcess(task);
    await holder.kill();
    const killedMs = Date.now();
    const taken = await rival.holding();
    expect(taken.fencingToken).toBeGreaterThan(held.fencingToken);
    // Lease and clock margin, and a wide margin for a busy machine.
    expect(taken.atMs - killedMs).toBeLessThan(leaseMs + 500 + 5_000);
    rival.goOn();
    expect(await rival.exited()).toBe(0);
  });

  it('take a lock that a killed holder left with one tryLock, once its lease is over', async () => {
    const holder = new WorkerProcess({ kind: 'hold', url: stack.url, lockId: 'left', leaseMs: 1_000 });
    const held = await holder.holding();
    await holder.kill();
    const locks = LockFactory.connect({ url: stack.url });
    await viewUntil('left', ({ state }) => state === 'over');
    const lock = locks.createLock('left');
    expect(await lock.tryLock()).toBe(true);
    expect(lock.fencingToken).toBeGreaterThan(held.fencingToken);
    await lock.unlock();
  });

  it('exit by themselves although they forgot to unlock', async () => {
    const worker = new WorkerProcess({ kind: 'forget', url: stack.url, lockId: 'forgotten' });
    const { atMs } = await worker.holding();
    expect(await worker.exited()).toBe(0);
    expect(Date.now() - atMs).toBeLessThan(10_000);
  });
});

async function viewUntil(lockId: string, holds: (view: { state: string }) => boolean): Promise<void> {
  for (;;) {
    const view = (await (await fetch(`${stack.url}/v1/locks/${lockId}`)).json()) as { state: string };
    if (holds(view)) return;
  }
}
