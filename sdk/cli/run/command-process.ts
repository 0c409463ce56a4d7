import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** How a command ended: with a code, or by a signal. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The command could not be started at all. */
export class StartFailure extends Error {
  override name = 'StartFailure' as const;

  constructor(
    readonly command: string,
    readonly isMissing: boolean,
    cause: Error,
  ) {
    super(`${command}: ${isMissing ? 'command not found' : `cannot be executed (${cause.message})`}`, { cause });
  }
}

// From one look at what is left to the next, twice as long each time: a look goes through all processes.
const shortestPauseMs = 20;
const longestPauseMs = 1_000;

/**
 * A command and whatever it starts: a process group of its own, in a session of its own, so that all of it can be ended
 * at once. With `isForeground` the command stays in the group of its caller, and only itself can be ended.
 *
 * It has the very standard streams of this process: nothing that it reads or writes passes through here.
 */
export class CommandProcess {
  readonly pid: number;
  /** When the command itself has ended. */
  readonly ended: Promise<Ending>;
  readonly #isForeground: boolean;
  #isOver = false;

  private constructor(child: ChildProcess, isForeground: boolean) {
    this.pid = child.pid as number;
    this.#isForeground = isForeground;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        if (isForeground) this.#isOver = true;
        resolve({ code, signal });
      });
    });
  }

  /** @throws StartFailure when there is no such command, or it cannot be executed */
  static start(
    [command = '', ...args]: readonly string[],
    { env, isForeground }: { env: Record<string, string | undefined>; isForeground: boolean },
  ): Promise<CommandProcess> {
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => reject(new StartFailure(command, error.code === 'ENOENT', error));
      try {
        const child = spawn(command, args, { env, stdio: 'inherit', detached: !isForeground });
        child.once('error', fail);
        if (child.pid !== undefined) resolve(new CommandProcess(child, isForeground));
      } catch (error) {
        fail(error as Error);
      }
    });
  }

  /** Sends a signal to all that is left of it; nothing when nothing is. */
  signal(signal: NodeJS.Signals): void {
    this.#kill(signal);
  }

  /** Whether a process of it is left. */
  get isAlive(): boolean {
    if (!this.#kill(0)) return false;
    return this.#isForeground || !this.#hasOnlyZombies();
  }

  /** Resolves when no process of it is left. */
  async emptied(): Promise<void> {
    await this.ended;
    for (let pauseMs = shortestPauseMs; this.isAlive; pauseMs = Math.min(2 * pauseMs, longestPauseMs))
      await pause(pauseMs);
    // The number may be another group's from now on.
    this.#isOver = true;
  }

  #kill(signal: NodeJS.Signals | 0): boolean {
    if (this.#isOver) return false;
    try {
      process.kill(this.#isForeground ? this.pid : -this.pid, signal);
      return true;
    } catch (error) {
      // Such as a command that runs as another user: it is there, and out of reach.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }

  // A dead process stays in its group until its parent asks for its end, and in containers that parent may never do so.
  // Where /proc shows no process of the group at all, it shows not all processes.
  #hasOnlyZombies(): boolean {
    const states = statesIn(this.pid);
    return states.length > 0 && states.every((state) => state === 'Z' || state === 'X');
  }
}

/** The states of the processes of a group, as Linux shows them; none elsewhere. */
function statesIn(group: number): string[] {
  try {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        // The name of the program stands in parentheses and may hold anything.
        const fields = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
        const [state = '', , processGroup] = fields;
        if (Number(processGroup) !== group) return [];
        // One whose first thread has ended is shown as a zombie while its other threads run on.
        return Number(fields[17]) > 1 ? ['R'] : [state];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
