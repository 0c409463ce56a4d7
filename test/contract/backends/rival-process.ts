import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rivalProgram } from './rival-program.ts';

/** Where a rival finds the locks. */
export type RivalConnection =
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'embedded'; readonly table: string; readonly endpoint: string };

/** What a rival is asked to do, in one handle per lock id. */
export type RivalTask =
  | { readonly kind: 'connect'; readonly connection: RivalConnection }
  | { readonly kind: 'lock'; readonly lockId: string; readonly leaseMs: number }
  | { readonly kind: 'unlock'; readonly lockId: string }
  | { readonly kind: 'look'; readonly lockId: string }
  | {
      readonly kind: 'count';
      readonly lockId: string;
      readonly file: string;
      readonly rounds: number;
      readonly tryMs: number;
    }
  /** Ends as a program does that has nothing left to do: it does not call `process.exit`. */
  | { readonly kind: 'end'; readonly dispose: boolean };

/** What a rival sees of a lock when a task is done. */
export interface RivalReport {
  readonly isHeld: boolean;
  readonly fencingToken: number | undefined;
  /** Why its hold was lost. */
  readonly lost: string | undefined;
  /** Code of the error that the task ended with. */
  readonly error: string | undefined;
}

const running = new Set<ChildProcess>();

// Whatever a test does or fails to do, no process outlives its file.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** A program of its own that uses the same locks. */
export class RivalProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, { resolve: (report: RivalReport) => void; reject: (error: Error) => void }>();
  readonly #exited: Promise<number | null>;
  #tasks = 0;

  private constructor(program: string) {
    this.#child = fork(program, { execArgv: [] });
    running.add(this.#child);
    this.#child.on('message', ({ task, report }: { task: number; report: RivalReport }) => {
      this.#pending.get(task)?.resolve(report);
      this.#pending.delete(task);
    });
    this.#exited = once(this.#child, 'exit').then(([code]) => {
      running.delete(this.#child);
      for (const { reject } of this.#pending.values()) reject(new Error(`the rival ended with code ${code}`));
      return code as number | null;
    });
  }

  /** Resolves when it is ready for tasks. */
  static async start(connection: RivalConnection): Promise<RivalProcess> {
    const rival = new RivalProcess(await rivalProgram());
    await rival.do({ kind: 'connect', connection });
    return rival;
  }

  /** Resolves when the task is done; rejects when the process ends before. */
  do(task: RivalTask): Promise<RivalReport> {
    const number = this.#tasks++;
    const done = new Promise<RivalReport>((resolve, reject) => this.#pending.set(number, { resolve, reject }));
    // A rival may be killed while nobody looks at what it was asked last.
    done.catch(() => undefined);
    this.#child.send({ task: number, ...task });
    return done;
  }

  lock(lockId: string, leaseMs: number): Promise<RivalReport> {
    return this.do({ kind: 'lock', lockId, leaseMs });
  }

  unlock(lockId: string): Promise<RivalReport> {
    return this.do({ kind: 'unlock', lockId });
  }

  look(lockId: string): Promise<RivalReport> {
    return this.do({ kind: 'look', lockId });
  }

  /** Stops it in its tracks, as a host does that has no processor for it (SIGSTOP), until it is thawed. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** kill -9: it gets no chance to release anything. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Its exit code, once it has ended. */
  exited(): Promise<number | null> {
    return this.#exited;
  }
}
