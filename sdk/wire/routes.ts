import { encodeLockId } from './lock-id.ts';
import type { ProblemCode } from './problems.ts';

/** The Lambda function that serves a route. */
export type FunctionName = 'acquire' | 'lease' | 'admin';

/** What a route does, named by the protocol's words. */
export type Operation = 'try' | 'acquire' | 'renew' | 'release' | 'inspect' | 'list' | 'break';

/** One route of the API. */
export interface Route {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST';
  /** The gateway's template; `{lockId}` stands for one escaped segment. */
  readonly path: string;
  readonly function: FunctionName;
  readonly summary: string;
  /** The problems that are this route's own, besides those that every route may answer. */
  readonly problems: readonly ProblemCode[];
}

/** Every route. Nothing under `/v1/locks/` needs an administrator; nothing under `/v1/admin/` is for users. */
export const routes: Readonly<Record<Operation, Route>> = {
  try: {
    operation: 'try',
    method: 'POST',
    path: '/v1/locks/{lockId}/try',
    function: 'lease',
    summary: 'Take the lock if it is free and nobody waits; never wait.',
    problems: ['lock-held', 'token-spent'],
  },
  acquire: {
    operation: 'acquire',
    method: 'POST',
    path: '/v1/locks/{lockId}/acquire',
    function: 'acquire',
    summary: 'Take the lock, standing in line for it up to waitMs.',
    problems: ['lock-held', 'still-waiting', 'place-lost', 'token-spent'],
  },
  renew: {
    operation: 'renew',
    method: 'POST',
    path: '/v1/locks/{lockId}/renew',
    function: 'lease',
    summary: 'Extend a lease, or confirm a provisional grant.',
    problems: ['lease-lost'],
  },
  release: {
    operation: 'release',
    method: 'POST',
    path: '/v1/locks/{lockId}/release',
    function: 'lease',
    summary: 'Give the lock, or a place in line, back. Repeating it is safe.',
    problems: ['lease-lost'],
  },
  inspect: {
    operation: 'inspect',
    method: 'GET',
    path: '/v1/locks/{lockId}',
    function: 'admin',
    summary: 'Look at one lock, strongly consistent. Every valid id has an answer.',
    problems: [],
  },
  list: {
    operation: 'list',
    method: 'GET',
    path: '/v1/admin/locks',
    function: 'admin',
    summary: 'Page through the locks. A page may be empty and still have a cursor.',
    problems: [],
  },
  break: {
    operation: 'break',
    method: 'POST',
    path: '/v1/admin/locks/{lockId}/break',
    function: 'admin',
    summary: 'Take the lock from the holder that a look at it showed.',
    problems: ['holder-changed', 'not-held'],
  },
};

/** The gateway's key of a route, such as `POST /v1/locks/{lockId}/try`. */
export function routeKey(route: Route): string {
  return `${route.method} ${route.path}`;
}

/** The path of a route for one lock. `segment` stands where the template has `{lockId}`, as it is. */
export function fillPath(route: Route, segment: string): string {
  return route.path.replace('{lockId}', () => segment);
}

/** The path of a route for one lock, its id escaped. */
export function lockPath(route: Route, lockId: string): string {
  return fillPath(route, encodeLockId(lockId));
}
