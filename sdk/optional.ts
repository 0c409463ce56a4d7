import { IllegalArgumentError } from './errors.ts';

/** What a look-up found, or nothing: the part of `java.util.Optional` that look-ups need. */
export class Optional<T> {
  readonly #value: T | undefined;
  readonly #missing: string;

  /**
   * @internal Optionals come from `registry.lookupByName`.
   * @param missing what the error says when there is none and it is asked for
   */
  constructor(value: T | undefined, missing: string) {
    this.#value = value;
    this.#missing = missing;
  }

  isPresent(): boolean {
    return this.#value !== undefined;
  }

  /** @throws IllegalArgumentError when there is none */
  get(): T {
    return this.orElseGet(() => {
      throw new IllegalArgumentError(this.#missing);
    });
  }

  orElse(other: T): T {
    return this.#value ?? other;
  }

  orElseGet(make: () => T): T {
    return this.#value ?? make();
  }

  /** @throws what `make` gives, when there is none */
  orElseThrow(make: () => Error): T {
    return this.orElseGet(() => {
      throw make();
    });
  }

  ifPresent(use: (value: T) => void): void {
    if (this.#value !== undefined) use(this.#value);
  }
}
