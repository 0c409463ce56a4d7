/**
 * A signal that aborts after a time, or with others. (Not `AbortSignal.any` over `AbortSignal.timeout`: Node 20 may collect
 * the timeout as garbage, which then never comes.)
 */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: (() => void)[] = [];

  constructor(ms: number, ...others: readonly AbortSignal[]) {
    const over = () => this.#controller.abort(new DOMException(`it took longer than ${ms} ms`, 'TimeoutError'));
    this.#timer = setTimeout(over, ms);
    this.#timer.unref();
    for (const other of others) {
      const end = () => this.#controller.abort(other.reason);
      if (other.aborted) end();
      other.addEventListener('abort', end);
      this.#stopListening.push(() => other.removeEventListener('abort', end));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the timer and the listeners. */
  stop(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stopListening) stop();
  }
}
