import { timerMs } from './pause.ts';

/** Lets so many run at the same time; whoever comes when all turns are taken waits for one, first come, first served. */
export class Turns {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Runs it, at once where a turn is free.
   *
   * @param waitAtMostMs then it runs without a turn
   */
  async take<T>(run: () => Promise<T>, waitAtMostMs?: number): Promise<T> {
    let isMine = this.#free > 0;
    if (isMine) this.#free--;
    else isMine = await this.#turn(waitAtMostMs);
    try {
      return await run();
    } finally {
      if (isMine) this.#passOn();
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
      timer = setTimeout(() => {
        this.#waiting.delete(mine);
        resolve(false);
      }, timerMs(waitAtMostMs));
      // Those who have the turns keep the process alive.
      if (typeof timer === 'object') timer.unref();
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
