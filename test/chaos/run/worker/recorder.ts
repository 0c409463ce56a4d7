import { closeSync, openSync, writeSync } from 'node:fs';
import { hostMs } from '../../../support/host-clock.ts';
import type { HistoryEvent } from '../../history.ts';

/** An event before its writer has dated and signed it. */
export type Untold<E = HistoryEvent> = E extends HistoryEvent ? Omit<E, 'atMs' | 'process'> : never;

/**
 * Writes the history of one process. Each line is written before the call returns, so that a process that is killed has
 * told everything up to then.
 */
export class Recorder {
  readonly process: string;
  readonly #file: number;
  #operations = 0;

  constructor(process: string, path: string) {
    this.process = process;
    this.#file = openSync(path, 'a');
  }

  /** The id of an operation that begins, unlike all others of the run. */
  newOperation(): string {
    return `${this.process}:${++this.#operations}`;
  }

  tell(event: Untold): void {
    this.write({ ...event, atMs: hostMs(), process: this.process } as HistoryEvent);
  }

  /** Writes an event that is dated already. */
  write(event: HistoryEvent): void {
    writeSync(this.#file, `${JSON.stringify(event)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}
