import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { datedView } from '../../sdk/wire/dated-view.ts';
import { problemTitles } from '../../sdk/wire/documentation.ts';
import { encodeLockId } from '../../sdk/wire/lock-id.ts';
import type { LockPage } from '../../sdk/wire/lock-view.ts';
import type { LeaseMessage } from '../../sdk/wire/messages.ts';
import {
  type Problem,
  type ProblemCode,
  problemMediaType,
  problemStatuses,
  problemType,
} from '../../sdk/wire/problems.ts';
import type { Granted, Outcome } from '../service/outcomes.ts';
import type { ProblemMembers } from './request-problem.ts';

type Response = APIGatewayProxyStructuredResultV2;

/** The gateway's own answer where no route matches. */
export const notFound: Response = {
  statusCode: 404,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: 'Not Found' }),
};

function ok(body: object): Response {
  return {
    statusCode: 200,
    // An answer may hold an owner token, and is out of date at once: nobody keeps it.
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  };
}

/** A problem as RFC 9457 wants it. `Retry-After` is `retryAfterMs` rounded up to seconds. */
export function problemResponse(
  code: ProblemCode,
  detail: string,
  requestId: string,
  members: ProblemMembers = {},
): Response {
  const status = problemStatuses[code];
  const body: Problem = {
    type: problemType(code),
    title: problemTitles[code],
    status,
    detail,
    code,
    requestId,
    ...members,
  };
  return {
    statusCode: status,
    headers: {
      'content-type': problemMediaType,
      'cache-control': 'no-store',
      ...(members.retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(members.retryAfterMs / 1_000)) }),
    },
    body: JSON.stringify(body),
  };
}

/** The answer to what the service found. */
export function responseOf(outcome: Outcome, requestId: string): Response {
  const problem = (code: ProblemCode, detail: string, members: ProblemMembers = {}) =>
    problemResponse(code, detail, requestId, members);
  switch (outcome.kind) {
    case 'granted':
      return ok(leaseMessage(outcome));
    case 'released':
      return ok({ released: true, ...(outcome.heir && { heir: leaseMessage(outcome.heir) }) });
    case 'inspected':
      return ok(datedView(outcome.view));
    case 'listed': {
      const page: LockPage = {
        locks: outcome.views.map(datedView),
        ...(outcome.next !== undefined && { cursor: encodeLockId(outcome.next) }),
      };
      return ok(page);
    }
    case 'broken':
      return ok({ broken: true, lock: datedView(outcome.view) });
    case 'held': {
      const { kind: _kind, waitedMs: _waitedMs, lineFull: _lineFull, ...members } = outcome;
      return problem(
        'lock-held',
        `held by another owner for at most ${members.expiresInMs} ms, unless it renews`,
        members,
      );
    }
    case 'still-waiting': {
      const { kind: _kind, waitedMs: _waitedMs, lineFull: _lineFull, ...members } = outcome;
      const detail = `at place ${members.position} in line; the place is kept for ${members.resumeWithinMs} ms: come back with resume`;
      return problem('still-waiting', detail, members);
    }
    case 'place-lost':
      return problem('place-lost', 'this owner token stands in no line any more; acquire with a fresh one');
    case 'gave-up':
      throw new Error('a caller over HTTP cannot give up while it waits');
    case 'token-spent':
      return problem('token-spent', 'this owner token has had its lease; acquire with a fresh one');
    case 'lease-lost':
      return problem('lease-lost', lostDetail[outcome.reason], { reason: outcome.reason });
    case 'holder-changed':
      return problem('holder-changed', 'the lock has another hold than the fencing token names; look again', {
        lock: datedView(outcome.view),
      });
    case 'not-held':
      return problem('not-held', 'nobody holds the lock, so there is nothing to break');
  }
}

const lostDetail = {
  superseded: 'this owner token does not hold the lock: it was released, or its lease ended and the lock moved on',
  broken: 'an administrator took the lock from this owner token',
  absent: 'this owner token does not hold the lock: nothing is stored of it',
} as const;

function leaseMessage(granted: Granted): LeaseMessage {
  const { lockId, ownerToken, fencingToken, leaseMs, until, now, provisional, waiters } = granted;
  const expiresInMs = Math.max(0, until - now);
  return {
    lockId,
    ownerToken,
    fencingToken,
    leaseMs,
    expiresInMs,
    expiresAt: new Date(until).toISOString(),
    provisional,
    waiters,
  };
}
