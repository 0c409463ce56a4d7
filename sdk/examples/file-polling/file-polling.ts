// Distributed file polling: every node polls the same folder, and each file is handled by one of them.
//
// There is one lock for each file and one tryLock(): a file that another node has is left to it. What was handled is
// moved away before the lock is given back, so that nobody finds it again. The file of a node that died stays in the
// folder, and another node handles it once the lease is over.
//
//   npm start                                    # in one terminal: the service
//   export HOLDFAST_URL=http://127.0.0.1:3000    # in two more:
//   mkdir -p /tmp/inbox
//   node --import tsx sdk/examples/file-polling/file-polling.ts /tmp/inbox
//   cp *.md /tmp/inbox                           # and watch who handles which; kill -9 one, Ctrl-C the other

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LockFactory } from '../../index.ts';

const pollEveryMs = 250;
const [inbox = ''] = process.argv.slice(2);
const locks = LockFactory.fromEnv({ prefix: 'inbox/', leaseMs: 3_000 });

/** What a node does with a file; the signal aborts when the node has lost its lease. */
async function handle(path: string, signal: AbortSignal | undefined): Promise<string> {
  const text = await readFile(path, { encoding: 'utf8', signal });
  return `${text.length} characters`;
}

async function handleUnlessTaken(name: string): Promise<void> {
  const lock = locks.createLock(name);
  if (!(await lock.tryLock())) return;
  try {
    const path = join(inbox, name);
    // Between our look at the folder and our lock, another node may have been through with it.
    if (!existsSync(path)) return;
    console.log(`handling ${name}`);
    const result = await handle(path, lock.signal);
    lock.signal?.throwIfAborted();
    await rename(path, join(inbox, 'done', name));
    console.log(`handled ${name}: ${result}`);
  } finally {
    await lock.unlock();
  }
}

async function poll(stop: AbortSignal): Promise<void> {
  await mkdir(join(inbox, 'done'), { recursive: true });
  console.log(`polling ${inbox}`);
  while (!stop.aborted) {
    for (const entry of await readdir(inbox, { withFileTypes: true })) {
      if (entry.isDirectory() || stop.aborted) continue;
      // The file stays where it is, for the next round or another node.
      await handleUnlessTaken(entry.name).catch((error) => console.error(`${entry.name}: ${error}`));
    }
    await pause(pollEveryMs);
  }
}

// Ctrl-C ends the file that is under way, and begins no other.
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
void poll(stop.signal);
