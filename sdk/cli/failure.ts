import { HoldfastError, LockNotAcquiredError, LockServiceError } from '../index.ts';
import { durationText } from './duration.ts';
import type { ExitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** Why the command ended for a reason of its own. */
export interface Failure {
  /** Which of the exit codes says so. */
  readonly exitCode: keyof ExitCodes;
  /** Stable, for programs: the `code` of the SDK's error, or `usage`. */
  readonly code: string;
  /** For people. */
  readonly message: string;
}

/** What an error means for whoever called the command; nothing for one that nobody foresaw. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof UsageError) return { exitCode: 'usage', code: 'usage', message: error.message };
  if (!(error instanceof HoldfastError)) return undefined;
  const { code } = error;
  const message = messageOf(error);
  switch (code) {
    case 'illegal-argument':
      return { exitCode: 'usage', code, message: inOptions(message) };
    case 'lock-not-acquired':
      return { exitCode: 'conflict', code, message };
    case 'lease-lost':
    case 'illegal-monitor-state':
      return { exitCode: 'lost', code, message };
    default:
      return { exitCode: 'service', code, message };
  }
}

// Only the service knows its longest lease, and says so in the words of its API.
function inOptions(message: string): string {
  const [, min, max, got] =
    /leaseMs: must be a whole number from (\d+) to (\d+) milliseconds, got (\d+)/.exec(message) ?? [];
  if (got === undefined) return message;
  const [shortest, longest, given] = [min, max, got].map((ms) => durationText(Number(ms)));
  return `--lease must be from ${shortest} to ${longest} at this service, got ${given}`;
}

// The cause says what to do about it, such as which credentials are missing.
function messageOf(error: HoldfastError): string {
  const parts = [error.message];
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if (!parts.some((part) => part.includes((cause as Error).message))) parts.push(cause.message);
  }
  const requestId = error instanceof LockServiceError ? error.requestId : undefined;
  const holder =
    error instanceof LockNotAcquiredError && error.holder !== undefined ? ` (holder: ${error.holder})` : '';
  return `${parts.filter(Boolean).join(': ')}${holder}${requestId ? ` (request id ${requestId})` : ''}`;
}
