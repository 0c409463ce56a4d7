import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { LockFactory } from '../../sdk/index.ts';
import type { WorkerReport, WorkerTask } from './worker-process.ts';

// A process that uses the SDK as a user's program does, and tells its parent about it.

const tell = (report: WorkerReport): void => {
  process.send?.(report);
};

async function run(task: WorkerTask): Promise<void> {
  const locks = LockFactory.connect({ url: task.url, leaseMs: task.leaseMs ?? 30_000 });
  if (task.kind === 'count') {
    for (let round = 0; round < task.rounds; round++) {
      const lock = locks.createLock(task.lockId);
      if (task.by === 'lock') await lock.lock();
      else while (!(await lock.tryLock(100))) tell({ kind: 'refused' });
      try {
        const count = Number(await readFile(task.file, 'utf8'));
        await pause(2);
        await writeFile(task.file, String(count + 1));
      } finally {
        await lock.unlock();
      }
    }
    return;
  }
  const lock = locks.createLock(task.lockId);
  await lock.lock();
  tell({ kind: 'holding', fencingToken: lock.fencingToken ?? 0, atMs: Date.now() });
  if (task.kind === 'forget') return;
  await new Promise((resolve) => process.once('message', resolve));
  await lock.unlock();
}

process.once('message', async (task: WorkerTask) => {
  await run(task);
  tell({ kind: 'done' });
  process.disconnect();
});
