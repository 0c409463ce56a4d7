import type { Route } from '../../../sdk/wire/routes.ts';

/** A body for a request that should be refused before anybody reads it; where it is not, it takes little and waits for nothing. */
export function bodyOf({ operation, method }: Route): { body?: string } {
  if (method === 'GET') return {};
  return { body: operation === 'acquire' ? '{"leaseMs":1000,"waitMs":0}' : '{"leaseMs":1000}' };
}
