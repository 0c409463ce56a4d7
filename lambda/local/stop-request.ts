/**
 * Waits until somebody asks this process to stop: SIGINT (Ctrl-C), SIGTERM, or npm when it is told to stop.
 *
 * A terminal sends Ctrl-C to the whole group of processes and npm passes it on as well, so it may come more than once.
 */
export function stopRequest(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
    // npm hands a signal to the shell that runs its script, which dies of it and tells nobody: all that shows here is
    // another parent.
    const { ppid } = process;
    if (process.env['npm_lifecycle_event'] === undefined) return;
    setInterval(() => {
      if (process.ppid !== ppid) resolve();
    }, 200).unref();
  });
}
