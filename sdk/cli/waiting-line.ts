import { isatty } from 'node:tty';
import type { LockEvent, LockFactory } from '../index.ts';
import { displayText } from '../index.ts';
import { durationText } from './duration.ts';
import { environment } from './environment.ts';
import type { StandardError } from './standard-error.ts';

const everyMs = 1_000;
const lookEveryMs = 5_000;
// Back to the first column, and nothing after it; no wrapping of a line that is longer than the terminal is wide.
const erase = '\r\x1b[K';
const [cutOff, wrap] = ['\x1b[?7l', '\x1b[?7h'];
const [dim, plain] = ['\x1b[2m', '\x1b[22m'];

/** On a terminal, one line that says for whom and how long a lock is waited for, and the place in line. */
export class WaitingLine {
  readonly #lockId: string;
  readonly #standardError: StandardError;
  readonly #isShown: boolean;
  readonly #startedMs = performance.now();
  #holder: string | undefined;
  #place: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isLooking = false;

  constructor(lockId: string, standardError: StandardError) {
    this.#lockId = lockId;
    this.#standardError = standardError;
    this.#isShown = !standardError.isJson && isatty(2) && !environment.isDumbTerminal;
  }

  /** Learns from the events of the lock; the first that says that it waits shows the line. */
  update(event: LockEvent, locks: () => LockFactory | undefined): void {
    if (event.type !== 'waiting') return;
    this.#holder = event.holder;
    this.#place = event.position ?? this.#place;
    const { lockId, holder, position } = event;
    this.#standardError.tell('waiting', { lockId, holder: holder ?? null, position: position ?? null });
    if (!this.#isShown) return;
    this.#timer ??= setInterval(() => {
      this.#show();
      void this.#look(locks());
    }, everyMs);
    this.#show();
    if (this.#place === undefined) void this.#look(locks());
  }

  /** Takes the line away. */
  stop(): void {
    if (this.#timer) this.#standardError.write(erase);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #show(): void {
    if (!this.#timer) return;
    const parts = [
      `waiting for ${this.#lockId}`,
      ...(this.#place === undefined ? [] : [`place ${this.#place} in line`]),
      ...(this.#holder === undefined ? [] : [`held by ${this.#holder}`]),
      durationText(performance.now() - this.#startedMs),
    ];
    const text = displayText(`holdfast: ${parts.join(', ')}`);
    const line = environment.mayColour ? `${dim}${text}${plain}` : text;
    this.#standardError.write(`${erase}${cutOff}${line}${wrap}`);
  }

  // The service says the place only now and then. Whoever comes later stands behind, so nobody stands further back than
  // there are waiters.
  async #look(locks: LockFactory | undefined): Promise<void> {
    if (!locks || this.#isLooking || performance.now() - this.#lookedMs < lookEveryMs) return;
    this.#isLooking = true;
    try {
      const { holder, waiters } = await locks.inspect(this.#lockId);
      this.#holder = holder;
      if (waiters > 0) this.#place = Math.min(this.#place ?? waiters, waiters);
      this.#show();
    } catch {
      // Whether the service can be reached is the wait's business.
    }
    this.#lookedMs = performance.now();
    this.#isLooking = false;
  }
}
