import { cpus, loadavg, totalmem } from 'node:os';

/** Watches the machine for as long as something is measured on it. */
export function watchMachine(): { facts(): string[] } {
  const loadBefore = loadavg()[0] ?? 0;
  const startedMs = performance.now();
  const [cpu] = cpus();
  return {
    /** What the figures depend on, as it is now. */
    facts: () => [
      `Node ${process.version}`,
      `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}`,
      `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
      `load ${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`,
      `${((performance.now() - startedMs) / 1_000).toFixed(0)} s`,
    ],
  };
}
