/** Who got the lock last, as far as one process knows: whoever had it rests until another has it. */
export class Turns {
  #last: number | undefined;
  readonly #resting = new Set<() => void>();
  #over = false;

  /** A contender got it; nothing: one of another process. */
  taken(contender?: number): void {
    this.#last = contender;
    this.#wake();
  }

  /** Nobody rests any more. */
  end(): void {
    this.#over = true;
    this.#wake();
  }

  /** Resolves when another than this one got it last. */
  async rest(contender: number): Promise<void> {
    while (!this.#over && this.#last === contender) {
      await new Promise<void>((resolve) => {
        this.#resting.add(resolve);
      });
    }
  }

  #wake(): void {
    const resting = [...this.#resting];
    this.#resting.clear();
    for (const wake of resting) wake();
  }
}
