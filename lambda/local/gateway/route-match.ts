import type { Route } from '../../../sdk/wire/routes.ts';

/** A route with the values that the path gave its parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a method and a decoded path. One trailing slash is ignored, as the HTTP API does; a parameter
 * stands for one segment that is not empty.
 */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const segments = (path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  for (const route of routes) {
    if (route.method !== method) continue;
    const pathParameters = matchTemplate(route.path.split('/'), segments);
    if (pathParameters) return { route, pathParameters };
  }
  return undefined;
}

function matchTemplate(template: string[], segments: string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const pathParameters: Record<string, string> = {};
  for (const [at, expected] of template.entries()) {
    const segment = segments[at] ?? '';
    const name = /^\{(.+)\}$/.exec(expected)?.[1];
    if (name === undefined ? segment !== expected : segment === '') return undefined;
    if (name !== undefined) pathParameters[name] = segment;
  }
  return pathParameters;
}
