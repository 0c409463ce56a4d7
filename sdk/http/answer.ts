import type { Answer, Granted } from '../backend.ts';
import { ForbiddenError, type HoldfastError, IllegalArgumentError, LockServiceError } from '../errors.ts';
import { type LeaseMessage, leaseSchema, releasedSchema } from '../wire/messages.ts';
import { type Problem, problemSchema } from '../wire/problems.ts';

/** What came back over HTTP. */
export interface HttpReply {
  readonly status: number;
  readonly body: string;
  readonly requestId: string | undefined;
}

/** Reads a reply as what it says about the lock. */
export function answerOf(reply: HttpReply): Answer {
  const { status } = reply;
  if (status === 200) return successOf(reply);
  const problem = problemOf(reply.body);
  const requestId = problem?.requestId ?? reply.requestId;
  const detail = problem?.detail ?? `HTTP status ${status}`;
  const serviceError = (outcomeUnknown: boolean, text = `the lock service answered: ${detail}`) =>
    new LockServiceError(text, { outcomeUnknown, requestId });

  if (status === 409) return problem ? conflictOf(problem, serviceError(false)) : refused(serviceError(false));
  if (status === 429) return { kind: 'throttled', error: serviceError(false) };
  if (status >= 500) return { kind: 'unknown', answered: true, error: serviceError(true) };
  if (status === 400 && problem) return refused(new IllegalArgumentError(detail));
  if (status === 401 || status === 403) {
    return refused(new ForbiddenError(`the lock service refuses this caller: ${detail}`));
  }
  if (status === 404)
    return refused(serviceError(false, 'there is no Holdfast API at this address (404): check the url'));
  return refused(serviceError(false));
}

function successOf({ body, requestId }: HttpReply): Answer {
  const json = parsed(body);
  const lease = leaseSchema.safeParse(json);
  if (lease.success) return grantedOf(lease.data);
  const released = releasedSchema.safeParse(json);
  if (released.success) {
    const { heir } = released.data;
    return { kind: 'released', ...(heir && { heir: grantedOf(heir) }) };
  }
  const error = new LockServiceError('the answer is not one of this API: check the url', {
    outcomeUnknown: true,
    requestId,
  });
  return { kind: 'unknown', answered: true, error };
}

function grantedOf({ fencingToken, leaseMs, provisional, waiters }: LeaseMessage): Granted {
  return { kind: 'granted', fencingToken, leaseMs, provisional, waiters };
}

function conflictOf(problem: Problem, otherwise: HoldfastError): Answer {
  switch (problem.code) {
    case 'lock-held':
    case 'still-waiting': {
      const { holder, expiresInMs = 0, retryAfterMs = 0 } = problem;
      const kind = problem.code === 'lock-held' ? 'held' : 'waiting';
      return { kind, holder, expiresInMs, retryAfterMs };
    }
    case 'lease-lost':
      return { kind: 'lost', reason: problem.reason ?? 'superseded' };
    case 'token-spent':
    case 'place-lost':
      return { kind: 'spent' };
    default:
      return refused(otherwise);
  }
}

function refused(error: HoldfastError): Answer {
  return { kind: 'refused', error };
}

function problemOf(body: string): Problem | undefined {
  const problem = problemSchema.safeParse(parsed(body));
  return problem.success ? problem.data : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
