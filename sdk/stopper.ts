import type { Disposal } from './disposal.ts';
import { longestTimerMs } from './pause.ts';

/** Why an acquisition ends without its own doing. */
export interface Stop {
  readonly kind: 'stopped';
  readonly why: 'aborted' | 'disposed' | 'time';
}

export interface StopperOptions {
  readonly signal: AbortSignal | undefined;
  readonly disposal: Disposal;
  /** Infinity: never. */
  readonly afterMs: number;
}

/** Resolves `stopped` when a signal aborts or the time is over. After `dispose()` no timer and no listener is left. */
export class Stopper {
  readonly stopped: Promise<Stop>;
  readonly #dispose: () => void;

  constructor({ signal, disposal, afterMs }: StopperOptions) {
    let stop: (why: Stop['why']) => void = () => undefined;
    this.stopped = new Promise((resolve) => {
      stop = (why) => resolve({ kind: 'stopped', why });
    });
    const onAbort = () => stop('aborted');
    signal?.addEventListener('abort', onAbort, { once: true });
    const stopListening = disposal.listen(() => stop('disposed'));
    const timer = afterMs <= longestTimerMs ? setTimeout(() => stop('time'), afterMs) : undefined;
    this.#dispose = () => {
      signal?.removeEventListener('abort', onAbort);
      stopListening();
      clearTimeout(timer);
    };
  }

  dispose(): void {
    this.#dispose();
  }
}
