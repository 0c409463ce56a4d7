/** Where a signal is to be had: it is made when it is asked for first, which takes longer than many a call. */
export type SignalSource = Pick<AbortController, 'signal'>;

/**
 * What `run` gives, or a rejection with "`what` within … ms" when that takes longer; the signal that it can have aborts
 * then.
 *
 * A timer of our own, not AbortSignal.timeout: that one does not keep the process alive, and a caller waits.
 */
export async function within<T>(timeoutMs: number, what: string, run: (abort: SignalSource) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const reason = new Error(`${what} within ${Math.round(timeoutMs)} ms`);
      abort.abort(reason);
      reject(reason);
    }, timeoutMs);
  });
  try {
    return await Promise.race([run(abort), over]);
  } finally {
    clearTimeout(timer);
  }
}
