import { constants } from 'node:os';

/** What a shell shows for a program that a signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Aborts when a signal asks this process to end. A second one ends it at once. */
export class Interruption {
  readonly #abort = new AbortController();
  #by: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of signals) process.on(signal, this.#interrupt);
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
    if (this.#by) process.exit(exitCodeOfSignal(signal));
    this.#by = signal;
    this.#abort.abort();
  };
}
