import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type WorkerTask = { readonly url: string; readonly lockId: string; readonly leaseMs?: number } & (
  | { readonly kind: 'count'; readonly file: string; readonly rounds: number; readonly by: 'lock' | 'timed tryLock' }
  /** Holds the lock until it is told to go on. */
  | { readonly kind: 'hold' }
  /** Takes the lock and never gives it back. */
  | { readonly kind: 'forget' }
);

export type WorkerReport =
  | { readonly kind: 'holding'; readonly fencingToken: number; readonly atMs: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'done' };

const running = new Set<ChildProcess>();

// Whatever a test does or fails to do, no process outlives its file.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** A process that does one task with the SDK. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #reports: WorkerReport[] = [];
  readonly #exited: Promise<number | null>;

  constructor(task: WorkerTask) {
    this.#child = fork(join(__dirname, 'worker.ts'), { execArgv: ['--import', 'tsx'] });
    running.add(this.#child);
    this.#child.on('message', (report: WorkerReport) => this.#reports.push(report));
    this.#exited = once(this.#child, 'exit').then(([code]) => {
      running.delete(this.#child);
      return code as number | null;
    });
    this.#child.send(task);
  }

  /** Resolves when the worker holds the lock; rejects when it ends without. */
  async holding(): Promise<WorkerReport & { kind: 'holding' }> {
    for (;;) {
      const report = this.#reports.find((each) => each.kind === 'holding');
      if (report) return report;
      await Promise.race([once(this.#child, 'message'), this.#exited.then((code) => this.#endedEarly(code))]);
    }
  }

  /** Lets a worker that holds go on. */
  goOn(): void {
    this.#child.send('go on');
  }

  /** Its exit code, once it has ended. */
  exited(): Promise<number | null> {
    return this.#exited;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #endedEarly(code: number | null): never {
    throw new Error(`the worker ended with code ${code} before it held the lock`);
  }
}
