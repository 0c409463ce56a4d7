import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.ts';

const running = new Set<ChildProcess>();

afterAll(() => {
  // The terminal goes with it, and hangs up on whatever runs there.
  for (const child of running) child.kill('SIGKILL');
});

/** A person at a terminal: a real one (a pty, by util-linux's `script`), with a shell that has job control. */
export class Terminal {
  readonly #child: ChildProcess;
  #shown = '';

  constructor(options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }) {
    // What is typed is not shown, so that only output is looked at.
    const shell = 'bash --norc --noprofile --noediting -i';
    this.#child = spawn('script', ['-qfec', shell, '/dev/null'], {
      cwd: options.cwd,
      env: { TERM: 'xterm', PS1: 'ready> ', ...options.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running.add(this.#child);
    this.#child.once('exit', () => running.delete(this.#child));
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#shown += text;
    });
  }

  /** Everything that was shown so far. */
  get shown(): string {
    return this.#shown;
  }

  /** Types keys: `\x03` is Ctrl-C, `\x1a` Ctrl-Z, `\x04` Ctrl-D. */
  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Waits until something was shown since `from`, a length of {@link shown}; gives the match. */
  async shows(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    const match = () => pattern.exec(this.#shown.slice(from));
    await until(`${pattern} is shown`, match, 30_000).catch((error: Error) => {
      throw new Error(`${error.message}; shown was:\n${JSON.stringify(this.#shown)}`);
    });
    return match() as RegExpExecArray;
  }

  /** Types a line, and waits for what follows; gives what was shown since. */
  async run(line: string, pattern: RegExp): Promise<RegExpExecArray> {
    const from = this.#shown.length;
    this.type(`${line}\n`);
    return this.shows(pattern, from);
  }

  async close(): Promise<void> {
    if (!running.has(this.#child)) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
