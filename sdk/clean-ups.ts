import type { Answer, Backend, TokenRequest } from './backend.ts';
import { backOffMs, pause } from './pause.ts';
import { Turns } from './turns.ts';

// An acquire that is still under way when its caller gives up may take this long to be answered: 20 s of waiting and
// 5 s for the network.
const boundMs = 25_000;
const requestTimeoutMs = 5_000;
// From one release of a token that nobody knew to the next, twice as long each time.
const shortestAgainMs = 100;
const longestAgainMs = 2_000;
// So many requests at once. All that a process with thousands of locks gives back when it ends would take longer than
// each may, would be sent again, and take longer still.
const atOnce = 100;

/**
 * Releases tokens that were perhaps granted with nobody listening, in the background.
 *
 * A request that is aborted is never cancelled, since the function would run on: it is left to end, and the token is
 * released both at once and again when that request turns out granted or unknown. Timers keep the process alive until
 * the bound, 25 s, so that a process which ends leaves nothing behind.
 */
export class CleanUps {
  readonly #backend: Backend;
  readonly #random: () => number;
  readonly #running = new Set<Promise<void>>();
  readonly #turns = new Turns(atOnce);

  constructor(backend: Backend, random: () => number) {
    this.#backend = backend;
    this.#random = random;
  }

  /** Starts to clean up after one token. Resolves when the first release is answered, or the bound is over. */
  async start(token: TokenRequest, underWay?: Promise<Answer>): Promise<void> {
    const endsAt = performance.now() + boundMs;
    const first = this.#release(token, endsAt);
    const running = this.#again(token, endsAt, first, underWay).finally(() => this.#running.delete(running));
    this.#running.add(running);
    await first;
  }

  /** Resolves when no clean-up is running any more: within 25 s of the last start. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #again(
    token: TokenRequest,
    endsAt: number,
    first: Promise<Answer | undefined>,
    underWay?: Promise<Answer>,
  ): Promise<void> {
    let released = await first;
    if (!underWay) return;
    let answer: Answer | undefined;
    const settled = underWay.then((settledAs) => {
      answer = settledAs;
    });
    // A release that did not know the token may have overtaken the request, which then stands in line with nobody behind.
    let againMs = shortestAgainMs;
    while (!answer && performance.now() < endsAt) {
      const waitMs = released?.kind === 'lost' ? againMs : boundMs;
      await pause(Math.min(waitMs, endsAt - performance.now()), settled);
      if (!answer && released?.kind === 'lost') released = await this.#release(token, endsAt);
      againMs = Math.min(2 * againMs, longestAgainMs);
    }
    // It got the lock or a place in line after the first release had found neither, or perhaps did.
    if (answer && ['granted', 'waiting', 'unknown'].includes(answer.kind)) await this.#release(token, endsAt);
  }

  // Undefined: its time was over before its turn came.
  async #release(token: TokenRequest, endsAt: number): Promise<Answer | undefined> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#turns.take(async () => {
        const leftMs = endsAt - performance.now();
        if (leftMs <= 0) return undefined;
        const timeoutMs = Math.max(1, Math.min(requestTimeoutMs, leftMs));
        return this.#backend.release({ ...token, expectWaiters: false }, timeoutMs);
      });
      if (answer === undefined) return undefined;
      if (answer.kind !== 'unknown' && answer.kind !== 'throttled') return answer;
      const pauseMs = backOffMs(attempt, this.#random);
      if (performance.now() + pauseMs >= endsAt) return answer;
      await pause(pauseMs);
    }
  }
}
