import type { CommandProcess } from './command-process.ts';

const toCommand = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;
// In the foreground the terminal sends these to the command itself; a second one from here would be one too many.
const fromTerminal: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGWINCH'];

/**
 * Passes the signals of this process on to the command. From the moment it is made none of them does anything else, for
 * the command may run before this process knows: what comes too early is passed on when it is started, what comes too
 * late is ignored, because the lock has still to be released, within a few seconds.
 *
 * Ctrl-Z suspends both, the command first. Whoever continues this process continues the command, but for one whose lease
 * is over meanwhile.
 */
export class ForwardedSignals {
  readonly #isForeground: boolean;
  readonly #early: NodeJS.Signals[] = [];
  #command: CommandProcess | undefined;
  #isSuspended = false;
  #hasEnded = false;
  #isStopped = false;

  constructor(isForeground: boolean) {
    this.#isForeground = isForeground;
    for (const signal of toCommand) process.on(signal, () => this.#forward(signal));
    if (!isForeground) process.on('SIGTSTP', this.#suspend);
  }

  /** @param onContinued called before the command is continued */
  start(command: CommandProcess, onContinued: () => void): void {
    this.#command = command;
    for (const signal of this.#early.splice(0)) this.#forward(signal);
    process.on('SIGCONT', () => {
      if (this.#isStopped) return;
      onContinued();
      command.signal('SIGCONT');
    });
    if (this.#isSuspended) this.#suspend();
  }

  /** What it left behind may ignore what a terminal sends, as a shell's background does; asked to end, it should. */
  commandEnded(): void {
    this.#hasEnded = true;
  }

  stop(): void {
    this.#isStopped = true;
    process.off('SIGTSTP', this.#suspend);
  }

  #forward(signal: NodeJS.Signals): void {
    if (this.#isStopped || (this.#isForeground && fromTerminal.includes(signal))) return;
    const isAskedToEnd = this.#hasEnded && (signal === 'SIGINT' || signal === 'SIGQUIT');
    if (this.#command) this.#command.signal(isAskedToEnd ? 'SIGTERM' : signal);
    else this.#early.push(signal);
  }

  // A group in a session of its own ignores SIGTSTP unless it has a handler, because no shell could continue it.
  readonly #suspend = (): void => {
    this.#isSuspended = this.#command === undefined;
    if (!this.#command) return;
    this.#command.signal('SIGSTOP');
    process.kill(process.pid, 'SIGSTOP');
  };
}
