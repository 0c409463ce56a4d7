import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCommand } from '../../esbuild.config.ts';
import { until } from './until.ts';

/** A folder of this test file’s own, gone when it ends. The command is bundled into it. */
export const workFolder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
const bundle = join(workFolder, 'bundle', 'holdfast.mjs');
const running = new Set<ChildProcess>();
const all: ChildProcess[] = [];
const groups = new Set<number>();

beforeAll(() => bundleCommand(join(workFolder, 'bundle')));

// Whatever a test does or fails to do, no process outlives its file, nor do those that its commands started.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const group of groups) killGroup(group);
  for (const { stdout, stderr } of all) for (const stream of [stdout, stderr]) stream?.destroy();
  rmSync(workFolder, { recursive: true, force: true });
});

export interface CommandOptions {
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads; nothing: an empty input. */
  readonly input?: Buffer | string;
  readonly stdio?: SpawnOptions['stdio'];
}

/** The environment of a command: only what it is given, so that nobody's credentials or address are in it. */
export function commandEnvironment({ url, env = {} }: CommandOptions): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', ...(url !== undefined && { HOLDFAST_URL: url }), ...env };
}

/** What to type for the command as it is installed, in a shell. */
export const commandLine = `'${process.execPath}' '${bundle}'`;

/** The command in a process of its own, as it is installed. */
export class HoldfastCommand {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | NodeJS.Signals>;
  readonly #out: Buffer[] = [];
  readonly #err: Buffer[] = [];

  constructor(args: readonly string[], options: CommandOptions = {}) {
    this.#child = spawn(process.execPath, [bundle, ...args], {
      cwd: workFolder,
      env: commandEnvironment(options),
      stdio: options.stdio ?? 'pipe',
    });
    running.add(this.#child);
    all.push(this.#child);
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#out.push(chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#err.push(chunk));
    // It may end without having read everything.
    this.#child.stdin?.on('error', () => undefined).end(options.input ?? '');
    // With the command that it ran, which has the same streams, or without it, when it was killed.
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => {
      running.delete(this.#child);
      return code ?? signal;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its standard output so far. */
  get bytes(): Buffer {
    return Buffer.concat(this.#out);
  }

  get output(): string {
    return this.bytes.toString('utf8');
  }

  /** Its standard error so far. */
  get errors(): string {
    return Buffer.concat(this.#err).toString('utf8');
  }

  /** The objects that it has told programs of. */
  get events(): Record<string, unknown>[] {
    return this.errors
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  get stdout() {
    return this.#child.stdout;
  }

  get stderr() {
    return this.#child.stderr;
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until its output matches, and gives the match. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    await until(`${pattern} is printed`, () => this.#hasEnded() || pattern.test(this.output), 30_000).catch(this.#fail);
    const match = pattern.exec(this.output);
    if (!match) return this.#fail(new Error(`it ended without printing ${pattern}`));
    return match;
  }

  /** Waits until the lock is held and the command runs, which says its process id first; the id is that of its group, too. */
  async started(): Promise<number> {
    const group = Number((await this.printed(/^(\d+)\n/))[1]);
    groups.add(group);
    return group;
  }

  /** Its exit code, or the signal that ended it. */
  async ended(): Promise<number | NodeJS.Signals> {
    return Promise.race([this.#ended, this.#tooLong()]);
  }

  /** Everything that it has written, once it has ended and nobody writes any more. */
  async result() {
    const code = await this.ended();
    const streams = [this.#child.stdout, this.#child.stderr];
    await Promise.all(streams.map((stream) => (stream && !stream.readableEnded ? once(stream, 'end') : undefined)));
    return { code, output: this.output, errors: this.errors };
  }

  #hasEnded(): boolean {
    return !running.has(this.#child);
  }

  async #tooLong(): Promise<never> {
    await until('the command ends', () => this.#hasEnded(), 60_000).catch(this.#fail);
    return new Promise<never>(() => undefined);
  }

  readonly #fail = (error: Error): never => {
    throw new Error(`${error.message}; it printed:\n${this.output}\n---\n${this.errors}`);
  };
}

/** Runs the command to its end. */
export function holdfast(args: readonly string[], options: CommandOptions = {}) {
  return new HoldfastCommand(args, options).result();
}

/**
 * Whether a process of this group is left that is not dead: one whose parent never asks for its end stays a zombie. One with
 * several threads is none: only its first has ended.
 */
export function isGroupAlive(group: number): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
      const [state = '', , itsGroup] = fields;
      return Number(itsGroup) === group && (!/[ZX]/.test(state) || Number(fields[17]) > 1);
    } catch {
      return false;
    }
  });
}

/** Ends all of a group. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
