import { constants } from 'node:os';

/** What a shell shows for a program that a signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
// Left alone, Node opens a port for debuggers at the first of them.
const userSignals = ['SIGUSR1', 'SIGUSR2'] as const;

const end = (signal: NodeJS.Signals): void => process.exit(exitCodeOfSignal(signal));

/** From here on each signal ends this process, until an {@link Interruption} or a command that runs gets them. */
export function endByUserSignals(): void {
  for (const signal of userSignals) process.on(signal, end);
}

/** Aborts when a signal asks this process to end. A second one ends it at once. */
export class Interruption {
  readonly #abort = new AbortController();
  #by: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of signals) process.on(signal, this.#interrupt);
    for (const signal of userSignals) process.off(signal, end);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The exit code that says which signal it was; nothing: there was none. */
  get exitCode(): number | undefined {
    return this.#by && exitCodeOfSignal(this.#by);
  }

  /** Leaves signals to others. */
  stop(): void {
    for (const signal of signals) process.off(signal, this.#interrupt);
  }

  readonly #interrupt = (signal: NodeJS.Signals): void => {
    if (this.#by) end(signal);
    this.#by = signal;
    this.#abort.abort();
  };
}
