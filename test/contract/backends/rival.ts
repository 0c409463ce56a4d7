import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { connectEmbedded } from '../../../sdk/embedded.ts';
import { HoldfastError, type Lock, LockFactory } from '../../../sdk/index.ts';
import type { RivalConnection, RivalReport, RivalTask } from './rival-process.ts';
import { tried } from './tried.ts';

// A process that uses the SDK as a user's program does, one task after the other.

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

let locks: LockFactory;
const handles = new Map<string, Lock>();

function connect(connection: RivalConnection): LockFactory {
  if (connection.kind === 'http') return LockFactory.connect({ url: connection.url });
  const { table, endpoint } = connection;
  return connectEmbedded({ table, endpoint, region: 'local', credentials });
}

function handleOf(lockId: string, leaseMs = 30_000): Lock {
  const handle = handles.get(lockId) ?? locks.createLock(lockId, { leaseMs });
  handles.set(lockId, handle);
  return handle;
}

async function run(task: RivalTask): Promise<void> {
  switch (task.kind) {
    case 'connect':
      locks = connect(task.connection);
      return;
    case 'lock':
      return handleOf(task.lockId, task.leaseMs).lock();
    case 'unlock':
      return handleOf(task.lockId).unlock();
    case 'look':
      return;
    case 'count':
      return count(task);
    case 'end':
      if (task.dispose) await locks.dispose({ timeoutMs: 0 });
  }
}

async function count({ lockId, file, rounds, tryMs }: RivalTask & { kind: 'count' }): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const lock = locks.createLock(lockId);
    if (tryMs === 0) await lock.lock();
    else while (!(await tried(lock, tryMs)));
    try {
      const read = Number(await readFile(file, 'utf8'));
      await pause(1);
      await writeFile(file, String(read + 1));
    } finally {
      await lock.unlock();
    }
  }
}

function reportOn(task: RivalTask, error: string | undefined): RivalReport {
  const handle = 'lockId' in task ? handles.get(task.lockId) : undefined;
  // The look comes first: it is what finds out.
  const isHeld = handle?.isHeld ?? false;
  return { isHeld, fencingToken: handle?.fencingToken, lost: handle?.signal?.reason?.reason, error };
}

process.on('message', async ({ task: number, ...task }: RivalTask & { task: number }) => {
  let error: string | undefined;
  try {
    await run(task as RivalTask);
  } catch (thrown) {
    error = thrown instanceof HoldfastError ? thrown.code : String(thrown);
  }
  process.send?.({ task: number, report: reportOn(task as RivalTask, error) });
  if (task.kind === 'end') process.disconnect();
});
