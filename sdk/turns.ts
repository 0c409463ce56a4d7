import { timerAside } from './pause.ts';

// Whoever has got no answer for so long costs this process nothing any more.
const turnMs = 1_000;

/**
 * Lets so many requests be under way at the same time; whoever comes when all turns are taken waits for one, first come,
 * first served. A request that has taken a second goes on without its turn: those that get no answers must not keep others
 * from being sent.
 */
export class Turns {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Sends it, at once where a turn is free.
   *
   * @param waitAtMostMs then it is sent without a turn
   */
  async take<T>(send: () => Promise<T>, waitAtMostMs?: number): Promise<T> {
    let isMine = this.#free > 0;
    if (isMine) this.#free--;
    else isMine = await this.#turn(waitAtMostMs);
    const passOn = () => {
      if (isMine) this.#passOn();
      isMine = false;
    };
    const timer = timerAside(passOn, turnMs);
    try {
      return await send();
    } finally {
      clearTimeout(timer);
      passOn();
    }
  }

  // Whether it came in time.
  #turn(waitAtMostMs?: number): Promise<boolean> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const mine = () => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#waiting.add(mine);
      if (waitAtMostMs === undefined) return;
      const goWithout = () => {
        this.#waiting.delete(mine);
        resolve(false);
      };
      timer = timerAside(goWithout, waitAtMostMs);
    });
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
