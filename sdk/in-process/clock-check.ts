import type { DatedReply } from '../../lambda/store/reply-dates.ts';

const knownForMs = 60_000;
// The clocks of a server's hosts may disagree by so much, and a clock that is being put right moves from reply to reply.
const disagreementMs = 200;
// What passes between two looks at two clocks.
const lookMs = 20;

/** By how much a clock is ahead of another at the least and at the most, milliseconds. */
interface Bounds {
  readonly leastMs: number;
  readonly mostMs: number;
}

/**
 * Whether the clock of this process is right, by what a server's replies say together.
 *
 * The server looked at its clock between the sending and the receiving, and cut off up to a second. So a reply of date D
 * shows this clock to be ahead by more than `sent - D - 1,000` ms and at the most by `received - D`: bounds a second apart,
 * which replies at other parts of a second make narrower. What one reply has shown stands when the next one cannot tell;
 * a clock that is wrong by more than the tolerance and less than a second more would else be right every other time. It
 * does not stand any more when a later reply contradicts it, or when the clock has been set since, as the monotonic one shows.
 */
export class ClockCheck {
  readonly toleranceMs: number;
  readonly #monotonicMs: () => number;
  readonly #listeners = new Set<() => void>();
  #bounds: Bounds = { leastMs: Number.NEGATIVE_INFINITY, mostMs: Number.POSITIVE_INFINITY };
  // How far this clock is ahead of the monotonic one, for which the bounds hold.
  #aheadOfMonotonicMs = 0;
  #learnedMs = Number.NEGATIVE_INFINITY;
  // The same at the last reply, whatever it told.
  #lastAheadMs: number | undefined;

  /**
   * @param toleranceMs how far off the clock may be, milliseconds
   * @param monotonicMs a clock that nobody sets
   */
  constructor(toleranceMs: number, monotonicMs = () => performance.now()) {
    this.toleranceMs = toleranceMs;
    this.#monotonicMs = monotonicMs;
  }

  /** How far the clock is off at the least: above 0 ahead, below 0 behind, 0 when it may be right. */
  get offsetMs(): number {
    const { leastMs, mostMs } = this.#bounds;
    return Math.max(0, leastMs) + Math.min(0, mostMs);
  }

  /** Whether the clock is surely off by more than the tolerance. */
  get isWrong(): boolean {
    return Math.abs(this.offsetMs) > this.toleranceMs;
  }

  /** Whether a reply told about the clock a short while ago, and it was not set since: it need not be asked for. */
  get isKnown(): boolean {
    const nowMs = this.#monotonicMs();
    return nowMs - this.#learnedMs < knownForMs && !this.#isSet(Date.now() - nowMs);
  }

  /** Learns from a reply. One without a readable date says nothing. */
  readonly learn = ({ sentMs, receivedMs, date }: DatedReply): void => {
    const nowMs = this.#monotonicMs();
    const aheadMs = receivedMs - nowMs;
    // Where the clock was set while the reply was under way, it tells of the clock as it was before.
    const wasSet = this.#isSet(aheadMs);
    this.#learnedMs = wasSet ? Number.NEGATIVE_INFINITY : nowMs;
    this.#lastAheadMs = aheadMs;
    const dateMs = Date.parse(date ?? '');
    if (Number.isNaN(dateMs)) return;
    this.#followSetting(aheadMs);
    // Sent by a clock that was set back meanwhile: that was another one.
    const leastMs = sentMs > receivedMs ? Number.NEGATIVE_INFINITY : sentMs - dateMs - 1_000;
    this.#bounds = narrowed(this.#bounds, { leastMs, mostMs: receivedMs - dateMs });
    if (this.isWrong || wasSet) for (const listener of [...this.#listeners]) listener();
  };

  /**
   * Calls `listener` at each reply that leaves the clock wrong, or does not tell because the clock was set, until the
   * function that it gives is called.
   */
  onDoubt(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // Since the last reply.
  #isSet(aheadOfMonotonicMs: number): boolean {
    return Math.abs(aheadOfMonotonicMs - (this.#lastAheadMs ?? aheadOfMonotonicMs)) > lookMs;
  }

  // The clock was set by that much, or the monotonic one stood still, as in a machine that slept: it may be either.
  #followSetting(aheadOfMonotonicMs: number): void {
    const byMs = aheadOfMonotonicMs - this.#aheadOfMonotonicMs;
    if (Math.abs(byMs) <= lookMs) return;
    this.#aheadOfMonotonicMs = aheadOfMonotonicMs;
    const { leastMs, mostMs } = this.#bounds;
    this.#bounds = { leastMs: leastMs + Math.min(0, byMs), mostMs: mostMs + Math.max(0, byMs) };
  }
}

// Where the two contradict each other by little, it is there in between; by much, the older one is of another time.
function narrowed(known: Bounds, told: Bounds): Bounds {
  const leastMs = Math.max(known.leastMs, told.leastMs);
  const mostMs = Math.min(known.mostMs, told.mostMs);
  if (leastMs <= mostMs) return { leastMs, mostMs };
  return leastMs - mostMs <= disagreementMs ? { leastMs: mostMs, mostMs: leastMs } : told;
}
