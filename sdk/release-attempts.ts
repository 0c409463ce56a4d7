import type { Answer, Granted, ReleaseRequest } from './backend.ts';
import { elapsedMs, type Moment } from './clocks.ts';
import type { Connection } from './connection.ts';
import { type HoldfastError, LockServiceError, type LostReason } from './errors.ts';
import { noUsableAnswer } from './no-usable-answer.ts';
import { backOffMs, pause } from './pause.ts';

/** The longest that a release is tried, milliseconds. */
export const releaseWithinMs = 5_000;
// Half of that, so that a reply lost without a reset still leaves time for a second attempt.
const releaseTimeoutMs = 2_500;

/** What came of a release. `failed` with `outcomeUnknown`: it may have been applied. */
export type ReleaseOutcome =
  | {
      readonly kind: 'released';
      readonly heir: Granted | undefined;
      /** Whether the heir may hold the lock although no answer said so. */
      readonly heirMayHold: boolean;
      readonly sentAt: Moment;
    }
  | { readonly kind: 'lost'; readonly reason: LostReason }
  | { readonly kind: 'failed'; readonly outcomeUnknown: boolean; readonly error: HoldfastError };

/**
 * Sends a release, again and again while its outcome is unknown or it is throttled.
 *
 * @param request made anew for each attempt, with an heir or without: one that is refused because of its heir is sent again
 *   without, for the heir's faults are not the holder's
 * @param repeated whether an earlier one may have been applied: then "you do not hold it" is what success looks like
 */
export async function sendRelease(
  { backend, clocks, random }: Connection,
  request: (withHeir: boolean) => ReleaseRequest,
  { withinMs, repeated }: { withinMs: number; repeated: boolean },
): Promise<ReleaseOutcome> {
  const startedAt = clocks.now();
  let outcomeUnknown = repeated;
  let withHeir = true;
  let heirMayHold = false;
  for (let attempt = 0; ; attempt++) {
    const timeoutMs = Math.max(1, Math.min(withinMs - elapsedMs(startedAt, clocks), releaseTimeoutMs));
    const sentAt = clocks.now();
    const sent = request(withHeir);
    const answer = await backend.release(sent, timeoutMs);
    if (answer.kind === 'released') return { kind: 'released', heir: answer.heir, heirMayHold, sentAt };
    if (answer.kind === 'lost') {
      if (!outcomeUnknown) return { kind: 'lost', reason: answer.reason };
      return { kind: 'released', heir: undefined, heirMayHold, sentAt };
    }
    if (answer.kind === 'refused' && sent.heir) {
      withHeir = false;
      heirMayHold = outcomeUnknown;
      continue;
    }
    if (answer.kind === 'unknown' && answer.error.outcomeUnknown) outcomeUnknown = true;
    // What answers another operation does not tell what came of this one.
    if (!('error' in answer)) outcomeUnknown = true;
    const pauseMs = backOffMs(attempt, random);
    if (answer.kind === 'refused' || elapsedMs(startedAt, clocks) + pauseMs >= withinMs) {
      return { kind: 'failed', outcomeUnknown, error: errorOf(answer, sent.lockId, outcomeUnknown) };
    }
    await pause(pauseMs);
  }
}

function errorOf(answer: Answer, lockId: string, outcomeUnknown: boolean): HoldfastError {
  const cause = 'error' in answer ? answer.error : undefined;
  if (cause && answer.kind === 'refused') return cause;
  const requestId = cause instanceof LockServiceError ? cause.requestId : undefined;
  return noUsableAnswer(`the release of lock ${JSON.stringify(lockId)}`, { outcomeUnknown, requestId, cause });
}
