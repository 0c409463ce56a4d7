import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** A counter in a JSON file on disk: the shared resource that nothing but the lock protects. */
export class CounterFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<number> {
    return JSON.parse(await readFile(this.#path, 'utf8')).count;
  }

  async write(count: number): Promise<void> {
    // Renamed into place, so that a reader sees the old number or the new one; updates are lost all the same.
    const draft = `${this.#path}.${process.pid}`;
    await writeFile(draft, JSON.stringify({ count }));
    await rename(draft, this.#path);
  }

  /** Reads, pauses as a program does that has something to work out, and writes one more. */
  async increment(pauseMs: number): Promise<void> {
    const count = await this.read();
    await pause(pauseMs);
    await this.write(count + 1);
  }
}
