import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Task, WorkerMessage } from './task.ts';

/** Every process that the demo started and that has not ended. */
const running = new Set<ChildProcess>();

function start(path: string, args: string[] = []): ChildProcess {
  // Forked, it inherits the loader that runs TypeScript.
  const child = fork(join(__dirname, path), args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Kills whatever is still running. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts the local stack on a free port, and gives its address once it is ready. */
export async function startLocalStack(): Promise<string> {
  const child = start('../../../lambda/local/main.ts', ['--port', '0', '--memory']);
  let output = '';
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /http:\/\/\S+:\d+/.exec(output)?.[0];
      if (url) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the local stack ended with code ${code}`)));
  });
}

/** One worker process. */
export class Worker {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts a worker; it waits for its task. */
  static async start(): Promise<Worker> {
    const worker = new Worker(start('worker.ts'));
    await worker.message('ready');
    return worker;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  send(task: Task | 'end'): void {
    this.#child.send(task);
  }

  onProgress(listener: (done: number) => void): void {
    this.#child.on('message', (message: WorkerMessage) => {
      if (message.kind === 'progress') listener(message.done);
    });
  }

  /** The next message of a kind; rejects when the worker ends without it. */
  message<K extends WorkerMessage['kind']>(kind: K): Promise<WorkerMessage & { kind: K }> {
    return new Promise((resolve, reject) => {
      this.#child.on('message', (message: WorkerMessage) => {
        if (message.kind === kind) resolve(message as WorkerMessage & { kind: K });
      });
      this.#child.once('exit', (code) =>
        reject(new Error(`worker ${this.pid} ended with code ${code}, not "${kind}"`)),
      );
    });
  }

  /** Resolves when the worker has ended by itself; rejects when it failed. */
  async ended(): Promise<void> {
    const [code] = await once(this.#child, 'exit');
    if (code !== 0) throw new Error(`worker ${this.pid} ended with code ${code}`);
  }

  /** kill -9: it gets no chance to release anything. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
