import { StoreFailedError, StoreUnavailableError } from '../../lambda/service/lock-store.ts';
import type {
  AcquireOutcome,
  BreakOutcome,
  Granted as GrantedOutcome,
  Held as HeldOutcome,
  Inspected,
  Listed as ListedOutcome,
  ReleaseOutcome,
  RenewOutcome,
  StillWaiting,
} from '../../lambda/service/outcomes.ts';
import type { Answer, BreakAnswer, Failed, Granted, Listed, Viewed } from '../backend.ts';
import { ForbiddenError, LockServiceError } from '../errors.ts';
import { datedView } from '../wire/dated-view.ts';
import { encodeLockId } from '../wire/lock-id.ts';

/** What the service found out about a token, as what it says to whoever sent it. */
export function answerOf(outcome: AcquireOutcome | RenewOutcome | ReleaseOutcome): Answer {
  switch (outcome.kind) {
    case 'granted':
      return grantedOf(outcome);
    case 'held':
      return { kind: 'held', ...heldOf(outcome) };
    case 'still-waiting':
      return { kind: 'waiting', ...heldOf(outcome), position: outcome.position };
    case 'released':
      return { kind: 'released', heir: outcome.heir && grantedOf(outcome.heir) };
    case 'lease-lost':
      return { kind: 'lost', reason: outcome.reason };
    case 'token-spent':
    case 'place-lost':
    case 'gave-up':
      return { kind: 'spent' };
  }
}

/** A look at one lock. */
export function viewedOf({ view }: Inspected): Viewed {
  return { kind: 'viewed', view: datedView(view) };
}

/** One page of locks; its cursor is spelt as over HTTP. */
export function listedOf({ views, next }: ListedOutcome): Listed {
  return { kind: 'listed', views: views.map(datedView), cursor: next === undefined ? undefined : encodeLockId(next) };
}

/** What came of a break. */
export function breakAnswerOf(outcome: BreakOutcome): BreakAnswer {
  return outcome.kind === 'not-held' ? { kind: 'not-held' } : { kind: outcome.kind, view: datedView(outcome.view) };
}

/**
 * What stands in the place of an outcome when the service threw. What nobody foresaw is of unknown outcome, and no
 * answer: it is tried again, and reported when nothing else comes for `unreachableAfterMs`.
 */
export function failureOf(cause: unknown): Failed {
  if (cause instanceof StoreFailedError) {
    const { message, requestId } = cause;
    const error = cause.forbidden
      ? new ForbiddenError(`the store refuses this caller: ${message}`, { cause })
      : new LockServiceError(message, { outcomeUnknown: false, requestId, cause });
    return { kind: 'refused', error };
  }
  const { answered, requestId } =
    cause instanceof StoreUnavailableError ? cause : { answered: false, requestId: undefined };
  const message = cause instanceof Error ? cause.message : String(cause);
  return {
    kind: 'unknown',
    answered,
    error: new LockServiceError(message, { outcomeUnknown: true, requestId, cause }),
  };
}

function grantedOf({ fencingToken, leaseMs, provisional, waiters }: GrantedOutcome): Granted {
  return { kind: 'granted', fencingToken, leaseMs, provisional, waiters };
}

function heldOf({ holder, expiresInMs, retryAfterMs }: Omit<HeldOutcome | StillWaiting, 'kind'>) {
  return { holder, expiresInMs, retryAfterMs };
}
