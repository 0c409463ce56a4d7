type Listener = () => void;

const listeners = new WeakMap<AbortSignal, Set<Listener>>();

/**
 * Calls `listener` when the signal aborts, until the function that it gives is called.
 *
 * However many listen, the signal has one listener: a program may well share one signal among all its waits, and an
 * EventTarget takes the eleventh listener for a leak.
 */
export function onAbort(signal: AbortSignal, listener: Listener): Listener {
  const known = listeners.get(signal);
  const all = known ?? new Set();
  all.add(listener);
  if (!known) {
    listeners.set(signal, all);
    signal.addEventListener('abort', callAll, { once: true });
  }
  return () => {
    if (!all.delete(listener) || all.size > 0) return;
    listeners.delete(signal);
    signal.removeEventListener('abort', callAll);
  };
}

function callAll({ target }: Event): void {
  for (const listener of [...(listeners.get(target as AbortSignal) ?? [])]) listener();
}
