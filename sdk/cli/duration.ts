import { UsageError } from './usage-error.ts';

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** What a duration on the command line may be. */
export interface DurationRange {
  /** Milliseconds. */
  readonly minMs: number;
  /** Milliseconds. */
  readonly maxMs: number;
  /** The same for people, such as "from 1s to 24h". */
  readonly text: string;
}

/** How long a lease may be asked for; a deployment may allow less. */
export const leaseRange: DurationRange = { minMs: 1_000, maxMs: 24 * unitMs.h, text: 'from 1s to 24h' };
export const waitRange: DurationRange = { minMs: 0, maxMs: 8_760 * unitMs.h, text: 'from 0s to 8760h' };

/**
 * Reads a duration as people write it, `500ms`, `30s`, `5m` or `1h`, as milliseconds.
 *
 * @throws UsageError naming the option, what is allowed and what was got
 */
export function durationOf(text: string, option: string, { minMs, maxMs, text: rangeText }: DurationRange): number {
  const [, digits, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(digits) * unitMs[unit as keyof typeof unitMs];
  if (ms >= minMs && ms <= maxMs) return ms;
  throw new UsageError(
    `${option} must be a whole number with its unit (500ms, 30s, 5m, 1h), ${rangeText}, got ${JSON.stringify(text)}`,
  );
}

/** A duration for people, rounded down: `850ms`, `12s`, `1m05s`, `2h03m`, `3d04h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.floor(ms))}ms`;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds}s`;
  if (hours === 0) return `${minutes}m${twoDigits(seconds % 60)}s`;
  if (hours < 24) return `${hours}h${twoDigits(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${twoDigits(hours % 24)}h`;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
