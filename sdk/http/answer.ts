import type { Answer, BreakAnswer, Failed, Granted, Listed, Viewed } from '../backend.ts';
import { ForbiddenError, type HoldfastError, IllegalArgumentError, LockServiceError } from '../errors.ts';
import { lockPageSchema, lockViewSchema } from '../wire/lock-view.ts';
import { brokenSchema, type LeaseMessage, leaseSchema, releasedSchema } from '../wire/messages.ts';
import { type Problem, problemSchema } from '../wire/problems.ts';

/** What came back over HTTP. */
export interface HttpReply {
  readonly status: number;
  readonly body: string;
  readonly requestId: string | undefined;
}

/** Whom a request named: its owner, and who is to have the lock next. */
export interface Named {
  readonly ownerToken: string;
  readonly heir?: { readonly ownerToken: string } | undefined;
}

/** How the replies of an operation are read: what success says, and which conflicts are answers. Nothing: neither. */
interface Reading<T> {
  readonly success: (json: unknown) => T | undefined;
  readonly conflict: (problem: Problem) => T | undefined;
}

/**
 * Reads a reply to try, acquire, renew or release as what it says about the lock.
 *
 * @param request whose tokens it named: a grant to another one is no answer to it, and no text of the reply shows them
 */
export function answerOf(reply: HttpReply, { ownerToken, heir }: Named): Answer {
  const grantee = heir?.ownerToken ?? ownerToken;
  const body = reply.body.replaceAll(ownerToken, '…').replaceAll(grantee, '…');
  return read<Answer>(reply.status === 200 ? reply : { ...reply, body }, {
    success: (json) => successOf(json, grantee),
    conflict: conflictOf,
  });
}

/** Reads a reply to inspect. */
export function viewedOf(reply: HttpReply): Viewed | Failed {
  return read<Viewed>(reply, {
    success(json) {
      const view = lockViewSchema.safeParse(json);
      return view.success ? { kind: 'viewed', view: view.data } : undefined;
    },
    conflict: () => undefined,
  });
}

/** Reads a reply to list. */
export function listedOf(reply: HttpReply): Listed | Failed {
  return read<Listed>(reply, {
    success(json) {
      const page = lockPageSchema.safeParse(json);
      return page.success ? { kind: 'listed', views: page.data.locks, cursor: page.data.cursor } : undefined;
    },
    conflict: () => undefined,
  });
}

/** Reads a reply to break. */
export function breakAnswerOf(reply: HttpReply): BreakAnswer | Failed {
  return read<BreakAnswer>(reply, {
    success(json) {
      const broken = brokenSchema.safeParse(json);
      return broken.success ? { kind: 'broken', view: broken.data.lock } : undefined;
    },
    conflict({ code, lock }) {
      if (code === 'holder-changed' && lock) return { kind: 'holder-changed', view: lock };
      return code === 'not-held' ? { kind: 'not-held' } : undefined;
    },
  });
}

function read<T>(reply: HttpReply, { success, conflict }: Reading<T>): T | Failed {
  const { status } = reply;
  if (status === 200) return success(parsed(reply.body)) ?? strange(reply);
  // Somebody between says that it went well.
  if (status > 200 && status < 300) return strange(reply);
  const problem = problemOf(reply.body);
  const requestId = problem?.requestId ?? reply.requestId;
  const detail = problem?.detail ?? `HTTP status ${status}`;
  const serviceError = (outcomeUnknown: boolean, text = `the lock service answered: ${detail}`) =>
    new LockServiceError(text, { outcomeUnknown, requestId });

  if (status === 409) return (problem && conflict(problem)) ?? refused(serviceError(false));
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

function strange({ requestId }: HttpReply): Failed {
  const error = new LockServiceError('the answer is not one of this API: check the url', {
    outcomeUnknown: true,
    requestId,
  });
  return { kind: 'unknown', answered: true, error };
}

function successOf(json: unknown, grantee: string): Answer | undefined {
  const lease = leaseSchema.safeParse(json);
  const released = releasedSchema.safeParse(json);
  const granted = lease.data ?? released.data?.heir;
  if (granted && granted.ownerToken !== grantee) return undefined;
  const grant = granted && grantedOf(granted);
  return released.success ? { kind: 'released', ...(grant && { heir: grant }) } : grant;
}

function grantedOf({ fencingToken, leaseMs, provisional, waiters }: LeaseMessage): Granted {
  return { kind: 'granted', fencingToken, leaseMs, provisional, waiters };
}

function conflictOf(problem: Problem): Answer | undefined {
  switch (problem.code) {
    case 'lock-held':
    case 'still-waiting': {
      const { holder, expiresInMs = 0, retryAfterMs = 0, position } = problem;
      const kind = problem.code === 'lock-held' ? 'held' : 'waiting';
      return { kind, holder, expiresInMs, retryAfterMs, ...(position !== undefined && { position }) };
    }
    case 'lease-lost':
      return { kind: 'lost', reason: problem.reason ?? 'superseded' };
    case 'token-spent':
    case 'place-lost':
      return { kind: 'spent' };
    default:
      return undefined;
  }
}

function refused(error: HoldfastError): Failed {
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
