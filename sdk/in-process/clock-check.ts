import type { DatedReply } from '../../lambda/store/reply-dates.ts';

const knownForMs = 60_000;

/**
 * Whether the clock of this process is right, by what a server's replies say.
 *
 * The server looked at its clock between the sending and the receiving, and cut off up to a second. So a reply of date D
 * shows a clock to be ahead by `sent - D - 1,000` ms at the least, or behind by `D - received`. In between it may be
 * right: a clock that is wrong by more than the tolerance and less than a second more is found by some replies only.
 * Therefore what one reply has shown stands until another one shows that the clock is within the tolerance. (One that was
 * under way for longer than the tolerance cannot.)
 */
export class ClockCheck {
  readonly toleranceMs: number;
  readonly #listeners = new Set<() => void>();
  #offsetMs = 0;
  #learnedMs = Number.NEGATIVE_INFINITY;

  /** @param toleranceMs how far off the clock may be, milliseconds */
  constructor(toleranceMs: number) {
    this.toleranceMs = toleranceMs;
  }

  /** How far the clock is off at the least: above 0 ahead, below 0 behind, 0 when it may be right. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Whether the clock is surely off by more than the tolerance. */
  get isWrong(): boolean {
    return Math.abs(this.#offsetMs) > this.toleranceMs;
  }

  /** Whether a reply told about the clock a short while ago, so that it need not be asked for. */
  get isKnown(): boolean {
    return performance.now() - this.#learnedMs < knownForMs;
  }

  /** Learns from a reply. One without a readable date says nothing. */
  readonly learn = ({ sentMs, receivedMs, date }: DatedReply): void => {
    this.#learnedMs = performance.now();
    const dateMs = Date.parse(date ?? '');
    if (Number.isNaN(dateMs)) return;
    // The clock is ahead by that at the least and at the most.
    const [leastMs, mostMs] = [sentMs - dateMs - 1_000, receivedMs - dateMs];
    const offsetMs = Math.max(0, leastMs) + Math.min(0, mostMs);
    const showsWrong = Math.abs(offsetMs) > this.toleranceMs;
    const showsRight = this.#offsetMs > 0 ? mostMs <= this.toleranceMs : leastMs >= -this.toleranceMs;
    if (showsWrong || showsRight || !this.isWrong) this.#offsetMs = offsetMs;
    if (this.isWrong) for (const listener of [...this.#listeners]) listener();
  };

  /** Calls `listener` at each reply that leaves the clock wrong, until the function that it gives is called. */
  onWrong(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
