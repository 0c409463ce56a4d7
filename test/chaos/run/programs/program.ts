import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ClockMessage } from './clock-offset.ts';

const modules = join(__dirname, '..', '..', '..', '..', 'node_modules');
const running = new Map<ChildProcess, () => void>();

/** Kills every program that was started here and still runs, those that are frozen too. */
export function killAllPrograms(): void {
  for (const kill of running.values()) kill();
}

export interface ProgramOptions {
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of Node itself. */
  readonly execArgv?: readonly string[];
  /**
   * Told what is no consequence of any fault: that it printed an error that nobody foresaw, or ended by an error or by a
   * signal that was not sent by {@link Program.kill}.
   */
  readonly complain: (text: string) => void;
}

// A function's log says this of an error that is none of its contract, the local stack of a function that threw.
const unforeseen = /internal error|the function \w+ failed/;

/** A program in a process of its own, which can be frozen and killed. */
export class Program<Report extends { readonly kind: string }> {
  readonly #child: ChildProcess;
  readonly #exited: Promise<{ code: number | null; signal: string | null }>;
  #lastSaid = '';
  #isFrozen = false;
  #isKilled = false;

  constructor({ file, args = [], env = {}, execArgv = [], complain }: ProgramOptions) {
    this.#child = fork(file, args, {
      execArgv: [...execArgv],
      env: {
        ...process.env,
        ...env,
        NODE_PATH: modules,
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    running.set(this.#child, () => this.#kill());
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#lastSaid = `${this.#lastSaid}${text}`.slice(-4_000);
        if (unforeseen.test(text)) complain(text);
      });
    }
    // A message to a program that was just killed is lost.
    this.#child.on('error', () => undefined);
    this.#exited = once(this.#child, 'exit').then(([code, signal]) => {
      running.delete(this.#child);
      const isForeseen = signal === null ? code === 0 : this.#isKilled;
      if (!isForeseen) complain(`it ended with ${signal ?? `code ${code}`}:\n${this.#lastSaid}`);
      return { code, signal };
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return running.has(this.#child);
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** The last that it printed. */
  get lastSaid(): string {
    return this.#lastSaid;
  }

  tell(message: object): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  setClock(clockOffsetMs: number): void {
    this.tell({ kind: 'clock', clockOffsetMs } satisfies ClockMessage);
  }

  /** The next report of this kind. Rejects when the program ends before, or the signal aborts. */
  report<K extends Report['kind']>(kind: K, signal?: AbortSignal): Promise<Report & { kind: K }> {
    return new Promise((resolve, reject) => {
      const listener = (report: Report) => {
        if (report.kind !== kind) return;
        this.#child.off('message', listener);
        resolve(report as Report & { kind: K });
      };
      this.#child.on('message', listener);
      const giveUp = (why: string) => {
        this.#child.off('message', listener);
        reject(new Error(`a program ${why} before "${kind}":\n${this.#lastSaid}`));
      };
      signal?.addEventListener('abort', () => giveUp('was given up'), { once: true });
      void this.#exited.then(({ code, signal: by }) => giveUp(`ended with ${by ?? `code ${code}`}`));
    });
  }

  /** Stops it in its tracks, as a host does that has no processor for it, until it is thawed. */
  freeze(): void {
    this.#isFrozen = true;
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#isFrozen = false;
    this.#child.kill('SIGCONT');
  }

  /** kill -9: it gets no chance to release anything. */
  async kill(): Promise<void> {
    this.#kill();
    await this.#exited;
  }

  /** How it ended. */
  exited(): Promise<{ code: number | null; signal: string | null }> {
    return this.#exited;
  }

  /** Waits until it has ended by itself, and kills it when it takes longer than so many milliseconds. */
  async endsByItself(withinMs: number): Promise<boolean> {
    let isLate = false;
    const tooLong = setTimeout(() => {
      isLate = true;
      this.#kill();
    }, withinMs);
    await this.#exited;
    clearTimeout(tooLong);
    return !isLate;
  }

  #kill(): void {
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
  }
}
