import type { LockView } from '../index.ts';

/** How long a lock has been held, milliseconds, by the clock of the service where the view tells it. */
export function ageMsOf({ since, expiresAt, expiresInMs }: LockView): number | undefined {
  if (since === undefined) return undefined;
  const nowMs = expiresAt !== undefined && expiresInMs ? Date.parse(expiresAt) - expiresInMs : Date.now();
  return Math.max(0, nowMs - Date.parse(since));
}
