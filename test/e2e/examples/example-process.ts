import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const running = new Set<ChildProcess>();
// Tells of every line and every end of any process here.
const news = new EventEmitter().setMaxListeners(0);

// Whatever a test does or fails to do, no process outlives its file.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

export interface ExampleOptions {
  /** The address of the service. */
  readonly url: string;
  readonly args: readonly (string | number)[];
  readonly env?: Readonly<Record<string, string>>;
}

/** An example in a process of its own, started as its first comment says. */
export class ExampleProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | NodeJS.Signals>;
  #hasEnded = false;
  #output = '';

  /** @param program a TypeScript file by its path from the root, or a script that Node runs as it is, in any folder */
  constructor(program: string, { url, args, env = {} }: ExampleOptions) {
    const loader = program.endsWith('.ts') ? ['--import', 'tsx'] : [];
    this.#child = spawn(process.execPath, [...loader, program, ...args.map(String)], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOLDFAST_URL: url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        news.emit('news');
      });
    }
    this.#ended = once(this.#child, 'close').then(([code, signal]) => {
      running.delete(this.#child);
      this.#hasEnded = true;
      news.emit('news');
      return code ?? signal;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Everything that it printed so far, on both streams. */
  get output(): string {
    return this.#output;
  }

  /** The lines so far that match. */
  lines(pattern: RegExp): string[] {
    // What follows the last line break is no line yet.
    const lines = this.#output.split('\n').slice(0, -1);
    return lines.filter((line) => pattern.test(line));
  }

  /** Waits until it has printed this many lines that match. */
  printed(pattern: RegExp, count = 1): Promise<string[]> {
    return printed([this], pattern, count);
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Its exit code, or the signal that ended it, once it has ended. */
  ended(): Promise<number | NodeJS.Signals> {
    return this.#ended;
  }

  /** kill -9: it gets no chance to release anything. */
  async kill(): Promise<void> {
    this.send('SIGKILL');
    await this.#ended;
  }
}

/** Waits until processes have, together, printed this many lines that match. Rejects when all end without. */
export async function printed(processes: readonly ExampleProcess[], pattern: RegExp, count: number): Promise<string[]> {
  for (;;) {
    const lines = processes.flatMap((each) => each.lines(pattern));
    if (lines.length >= count) return lines;
    if (processes.every(({ hasEnded }) => hasEnded)) {
      const outputs = processes.map(({ output }) => output).join('\n---\n');
      throw new Error(`ended with ${lines.length} of ${count} lines like ${pattern}, and printed:\n${outputs}`);
    }
    await once(news, 'news');
  }
}
