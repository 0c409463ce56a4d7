const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when the signal aborts, until the function that it gives is called.
 *
 * However many listen, the signal has one listener: a program may well share one signal among all its waits, and an
 * EventTarget takes the eleventh listener for a leak.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let all = listeners.get(signal);
  if (!all) {
    const created = new Set<() => void>();
    const callAll = () => {
      for (const each of [...created]) each();
    };
    all = created;
    listeners.set(signal, created);
    signal.addEventListener('abort', callAll, { once: true });
    detach.set(created, () => {
      signal.removeEventListener('abort', callAll);
      listeners.delete(signal);
    });
  }
  all.add(listener);
  return () => {
    if (all.delete(listener) && all.size === 0) detach.get(all)?.();
  };
}

const detach = new WeakMap<Set<() => void>, () => void>();
