import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { environmentNames } from '../../lambda/names.ts';
import { hostMs } from '../support/host-clock.ts';
import type { HandlerReport } from './handler-time-client.ts';
import type { HeapReport } from './heap-client.ts';
import type { LeasesReport } from './leases-client.ts';
import type { MemoryReport } from './memory-per-lock-client.ts';
import type { WaiterCommand, WaiterReport } from './waiter-messages.ts';

/** What the process of a local stack reports. */
export type StackReport =
  | { readonly kind: 'ready'; readonly url: string; readonly database: string }
  | { readonly kind: 'collected'; readonly heapMiB: number };

const running = new Set<ChildProcess>();

/** Kills every process that was started here and still runs. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** A program of its own beside this one, which talks to it; without it no figure is worth anything. */
export abstract class Child<Report extends { readonly kind: string }> {
  readonly #child: ChildProcess;
  #complaints = 0;
  #lastSaid = '';

  constructor(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    // Forked, it inherits the loader that runs TypeScript. A bundle needs none.
    const isBundle = isAbsolute(file);
    this.#child = fork(isBundle ? file : join(__dirname, file), args, {
      env: { ...process.env, ...env },
      execArgv: [...(isBundle ? [] : process.execArgv), '--expose-gc'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#complaints += text.split('\n').length - 1;
        this.#lastSaid = `${this.#lastSaid}${text}`.slice(-2_000);
      });
    }
    running.add(this.#child);
    this.#child.once('exit', (code, signal) => {
      // No figure is worth anything without it.
      if (!running.delete(this.#child) || signal === 'SIGKILL') return;
      process.stderr.write(
        `${file} (process ${this.pid}) ended by itself, with ${signal ?? `code ${code}`}:\n${this.#lastSaid}\n`,
      );
      killAll();
      process.exit(1);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** How many lines it printed: it does so only when something went wrong. */
  get complaints(): number {
    return this.#complaints;
  }

  protected tell(message: object): void {
    this.#child.send(message);
  }

  onReport(listener: (report: Report) => void): void {
    this.#child.on('message', listener);
  }

  report<K extends Report['kind']>(kind: K): Promise<Report & { kind: K }> {
    return new Promise((resolve) => {
      const listener = (report: Report) => {
        if (report.kind !== kind) return;
        this.#child.off('message', listener);
        resolve(report as Report & { kind: K });
      };
      this.#child.on('message', listener);
    });
  }

  /** kill -9: it gets no chance to release anything. */
  async kill(): Promise<void> {
    if (!running.delete(this.#child)) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** A process with waiters in it. */
export class WaiterProcess extends Child<WaiterReport> {
  static async start(url: string): Promise<WaiterProcess> {
    const waiters = new WaiterProcess('waiter.ts', [url]);
    await waiters.report('ready');
    return waiters;
  }

  send(command: WaiterCommand): void {
    this.tell(command);
  }
}

/** A local stack in a process of its own, with a table of its own. */
export class StackProcess extends Child<StackReport> {
  readonly table: string;
  url = '';
  /** Where its DynamoDB is. */
  database = '';

  private constructor(file: string, args: readonly string[], table: string) {
    super(file, args, { [environmentNames.table]: table });
    this.table = table;
  }

  /**
   * @param database address of a DynamoDB; otherwise it has its own, in memory, in the same process
   * @param limits options that limit what it takes
   * @param file a bundle of `stack.ts`, where there is one
   */
  static async start(database?: string, limits: readonly string[] = [], file = 'stack.ts'): Promise<StackProcess> {
    const args = ['--port', '0', ...(database ? ['--dynamodb', database] : []), ...limits];
    const stack = new StackProcess(file, args, `locks-${randomUUID()}`);
    const ready = await stack.report('ready');
    stack.url = ready.url;
    stack.database = ready.database;
    return stack;
  }

  get residentMiB(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
  }

  /** Lets it collect its garbage, and gives the heap in use after that. */
  async collectGarbage(): Promise<number> {
    const collected = this.report('collected');
    this.tell({});
    return (await collected).heapMiB;
  }
}

/** What the clients report that do one task by themselves. */
interface ClientReports {
  readonly 'heap-client.ts': HeapReport;
  readonly 'leases-client.ts': LeasesReport;
  readonly 'memory-per-lock-client.ts': MemoryReport;
  readonly 'handler-time-client.ts': HandlerReport;
}

/** A process that does one task by itself, with the arguments that it was given. */
export class ClientProcess<File extends keyof ClientReports> extends Child<ClientReports[File]> {
  readonly #done: Promise<ClientReports[File]>;

  /** @param bundle the program in one file, which then runs as users' programs do: without a loader */
  constructor(file: File, args: readonly string[], bundle?: string) {
    super(bundle ?? file, args);
    this.#done = this.report('done');
  }

  /** What came of it. */
  done(): Promise<ClientReports[File]> {
    return this.#done;
  }
}

/** A program that ran to its end. */
export interface Ended {
  readonly output: string;
  /** By {@link hostMs}. */
  readonly endedMs: number;
}

const programWithinMs = 60_000;

/** Runs a program until it ends by itself; one that does not, or fails, has no figure. */
export async function runProgram(file: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [...process.execArgv, join(__dirname, file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), programWithinMs);
  let endedMs = 0;
  child.once('exit', () => {
    endedMs = hostMs();
  });
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  running.delete(child);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${signal ?? `code ${code}`}`);
  return { output, endedMs };
}
