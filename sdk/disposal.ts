/**
 * Whether a factory is disposed, and who wants to know. (Not an AbortSignal: a factory may have any number of waiters,
 * and an EventTarget takes the eleventh listener for a leak.)
 */
export class Disposal {
  readonly #listeners = new Set<() => void>();
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  /** Calls `listener` at the disposal, until the function that it gives is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispose(): void {
    this.#disposed = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
