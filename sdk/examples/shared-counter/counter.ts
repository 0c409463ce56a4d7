import { readFile, writeFile } from 'node:fs/promises';
import type { LockFactory } from '../../index.ts';

/** A counter in a file. It is given its lock factory by whoever makes it: in a test that may be one in memory. */
export class Counter {
  constructor(
    private readonly locks: LockFactory,
    private readonly file: string,
  ) {}

  async increment(): Promise<void> {
    const lock = this.locks.createLock('shared-counter');
    await lock.lock();
    try {
      const count = Number(await readFile(this.file, 'utf8'));
      await writeFile(this.file, String(count + 1));
    } finally {
      await lock.unlock();
    }
  }
}
