import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CrowdReports, CrowdTask } from './tasks.ts';

/** A process of its own with holders and waiters in it, so that nobody waits for the event loop of others. */
export class CrowdProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, { resolve: (report: never) => void; reject: (error: Error) => void }>();
  #tasks = 0;

  constructor() {
    this.#child = fork(join(__dirname, 'client.ts'), { execArgv: ['--import', 'tsx'] });
    this.#child.on('message', ({ number, report, error }: { number: number; report: never; error?: string }) => {
      if (error === undefined) this.#pending.get(number)?.resolve(report);
      else this.#pending.get(number)?.reject(new Error(error));
      this.#pending.delete(number);
    });
    this.#child.once('exit', (code, signal) => {
      for (const { reject } of this.#pending.values()) {
        reject(new Error(`a crowd ended by itself, with ${signal ?? `code ${code}`}`));
      }
    });
  }

  /** Rejects when the process ends before the task is done. */
  do<Task extends CrowdTask>(task: Task): Promise<CrowdReports[Task['kind']]> {
    const number = this.#tasks++;
    const done = new Promise<CrowdReports[Task['kind']]>((resolve, reject) =>
      this.#pending.set(number, { resolve, reject }),
    );
    this.#child.send({ number, task });
    return done;
  }

  /** Ends it as a crash would: whoever waits leaves its place to lapse. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#pending.clear();
    this.#child.kill('SIGKILL');
    await ended;
  }
}
