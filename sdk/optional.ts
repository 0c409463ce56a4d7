import { IllegalArgumentError } from './errors.ts';

/**
 * What a look-up found, or nothing: the part of `java.util.Optional` that look-ups need.
 *
 * @example const found = registry.lookupByName('_muleLockFactory').orElseGet(() => LockFactory.fromEnv());
 */
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

  /** Whether there is one. */
  isPresent(): boolean {
    return this.#value !== undefined;
  }

  /**
   * What was found.
   *
   * @throws IllegalArgumentError when there is none
   */
  get(): T {
    return this.orElseGet(() => {
      throw new IllegalArgumentError(this.#missing);
    });
  }

  /** What was found, else `other`. */
  orElse(other: T): T {
    return this.#value ?? other;
  }

  /** What was found, else what `make` gives; it is called only then. */
  orElseGet(make: () => T): T {
    return this.#value ?? make();
  }

  /**
   * What was found.
   *
   * @throws what `make` gives, when there is none
   */
  orElseThrow(make: () => Error): T {
    return this.orElseGet(() => {
      throw make();
    });
  }

  /** Calls `use` with what was found; without anything it is not called. */
  ifPresent(use: (value: T) => void): void {
    if (this.#value !== undefined) use(this.#value);
  }
}
