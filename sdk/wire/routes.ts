import { encodeLockId } from './lock-id.ts';

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
}

/** Every route. Nothing under `/v1/locks/` needs an administrator; nothing under `/v1/admin/` is for users. */
export const routes: Readonly<Record<Operation, Route>> = {
  try: {
    operation: 'try',
    method: 'POST',
    path: '/v1/locks/{lockId}/try',
    function: 'lease',
  },
  acquire: {
    operation: 'acquire',
    method: 'POST',
    path: '/v1/locks/{lockId}/acquire',
    function: 'acquire',
  },
  renew: {
    operation: 'renew',
    method: 'POST',
    path: '/v1/locks/{lockId}/renew',
    function: 'lease',
  },
  release: {
    operation: 'release',
    method: 'POST',
    path: '/v1/locks/{lockId}/release',
    function: 'lease',
  },
  inspect: {
    operation: 'inspect',
    method: 'GET',
    path: '/v1/locks/{lockId}',
    function: 'admin',
  },
  list: {
    operation: 'list',
    method: 'GET',
    path: '/v1/admin/locks',
    function: 'admin',
  },
  break: {
    operation: 'break',
    method: 'POST',
    path: '/v1/admin/locks/{lockId}/break',
    function: 'admin',
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
