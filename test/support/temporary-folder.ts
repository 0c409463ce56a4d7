import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const attempts = 40;
const pauseMs = 50;

/** A folder of its own that is removed when this process ends, however it ends but by SIGKILL. */
export class TemporaryFolder {
  readonly path: string;
  readonly #onExit = () => removeFolder(this.path);

  constructor(prefix: string) {
    this.path = mkdtempSync(join(tmpdir(), prefix));
    process.once('exit', this.#onExit);
  }

  /** Leaves it where it is. */
  keep(): void {
    process.off('exit', this.#onExit);
  }

  remove(): void {
    this.keep();
    removeFolder(this.path);
  }
}

/**
 * Removes a folder before it returns, also when a process that has just been killed wrote to it a moment ago. Where it
 * cannot, it says so: whoever ends has no other use for an error.
 */
export function removeFolder(path: string): void {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (attempt === attempts) process.stderr.write(`${path} is left behind: ${(error as Error).message}\n`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
