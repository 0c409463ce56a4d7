import { LockFactory } from '../../index.ts';
import { CounterFile } from './counter-file.ts';
import type { Task, WorkerMessage } from './task.ts';

// A worker process: does the one task that its parent sends, and reports on it. It signs its requests when the
// environment has AWS credentials.

const say = (message: WorkerMessage): void => {
  process.send?.(message);
};

async function increments(task: Task & { kind: 'increments' }): Promise<void> {
  const locks = LockFactory.fromEnv({ url: task.url, prefix: task.prefix });
  const counter = new CounterFile(task.file);
  for (let done = 1; done <= task.count; done++) {
    const increment = () => counter.increment(task.pauseMs);
    await (task.locked ? locks.withLock(task.lockId, increment) : increment());
    say({ kind: 'progress', done });
  }
}

async function hold(task: Task & { kind: 'hold' }): Promise<void> {
  const locks = LockFactory.fromEnv({ url: task.url, prefix: task.prefix, leaseMs: task.leaseMs });
  const lock = locks.createLock(task.lockId);
  const askedAtMs = Date.now();
  await lock.lock();
  say({ kind: 'holding', fencingToken: lock.fencingToken ?? 0, askedAtMs, heldAtMs: Date.now() });
  // Until the parent says that it may end, or kills it.
  await new Promise((resolve) => process.once('message', resolve));
  await lock.unlock();
}

process.once('message', async (task: Task) => {
  await (task.kind === 'increments' ? increments(task) : hold(task));
  process.disconnect();
});
say({ kind: 'ready' });
