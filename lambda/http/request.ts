import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import { limits } from '../../sdk/wire/limits.ts';
import { decodeLockId } from '../../sdk/wire/lock-id.ts';
import type { RequestSchemas } from '../../sdk/wire/messages.ts';
import { fillPath, type Operation, type Route, routeKey } from '../../sdk/wire/routes.ts';
import { type Fault, faultsOf } from './faults.ts';
import { RequestProblem } from './request-problem.ts';

type Parsed<O extends keyof RequestSchemas> = { readonly operation: O } & z.infer<RequestSchemas[O]>;

/** Who gets the lock from whoever releases it. */
export type Heir = NonNullable<Parsed<'release'>['heir']>;

/** A valid request, by operation. */
export type Request =
  | ({ readonly lockId: string } & (
      | Parsed<'try'>
      | Parsed<'acquire'>
      | Parsed<'renew'>
      | Parsed<'release'>
      | Parsed<'break'>
      | { readonly operation: 'inspect' }
    ))
  | (Omit<Parsed<'list'>, 'cursor'> & { readonly after?: string });

/**
 * Finds the route of an event among those a function serves, or nothing.
 *
 * The gateway also routes `/x/` to `/x`, and has decoded the path. So the path must end with the one that the route and
 * its parameters spell: then a right granted for one path reaches nothing else. (A mapping key or a stage name may
 * stand before it.)
 */
export function routeOf(event: APIGatewayProxyEventV2, served: readonly Route[]): Route | undefined {
  const route = served.find((candidate) => routeKey(candidate) === event.routeKey);
  if (!route) return undefined;
  const segment = event.pathParameters?.['lockId'] ?? '';
  return event.rawPath.endsWith(fillPath(route, segment)) ? route : undefined;
}

/** Reads a valid request from an event, or throws the {@link RequestProblem} that lists every fault of it. */
export function requestOf(event: APIGatewayProxyEventV2, route: Route, schemas: RequestSchemas): Request {
  const { operation } = route;
  if (operation === 'list') return listRequest(event, schemas);
  const lockId = decodeLockId(event.pathParameters?.['lockId'] ?? '');
  const faults = lockId === undefined ? [lockIdFault] : [];
  if (lockId !== undefined && operation === 'inspect') return { operation, lockId };
  const body = operation === 'inspect' ? undefined : bodyOf(event, operation, schemas[operation]);
  faults.push(...(body?.faults ?? []));
  if (lockId === undefined || faults.length > 0) throw invalid(faults);
  return { operation, lockId, ...(body?.value as object | undefined) } as Request;
}

const lockIdFault: Fault = {
  path: 'lockId',
  detail: `must be the canonical spelling of a lock id of 1 to ${limits.lockIdBytes} UTF-8 bytes: every byte outside A-Za-z0-9._- as ~XX, upper-case hexadecimal`,
};

function invalid(errors: Fault[]): RequestProblem {
  return new RequestProblem(
    'invalid-request',
    errors.map(({ path, detail }) => `${path || 'body'}: ${detail}`).join('; '),
    {
      errors,
    },
  );
}

function bodyOf(event: APIGatewayProxyEventV2, operation: Operation, schema: z.ZodMiniType) {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > limits.bodyBytes) {
    throw new RequestProblem(
      'too-large',
      `the body has ${bytes.length} bytes; at most ${limits.bodyBytes} are allowed`,
    );
  }
  // Every field of try and acquire has a default, so `curl -X POST` without a body is a request.
  const mayBeEmpty = operation === 'try' || operation === 'acquire';
  if (bytes.length === 0 && mayBeEmpty) return check({}, schema);
  const mediaType = event.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(mediaType)) {
    throw new RequestProblem('unsupported-media-type', 'send the body as content-type: application/json');
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message quotes the body, and the body holds an owner token.
    return { value: undefined, faults: [{ path: '', detail: `is not JSON (${bytes.length} bytes of it)` }] };
  }
  return check(value, schema);
}

function check<T>(value: unknown, schema: z.ZodMiniType<T>, pathOf?: (names: readonly string[]) => string) {
  const result = schema.safeParse(value);
  return result.success
    ? { value: result.data, faults: [] }
    : { value: undefined, faults: faultsOf(result.error, value, schema, pathOf) };
}

function listRequest(event: APIGatewayProxyEventV2, schemas: RequestSchemas): Request {
  const query: Record<string, unknown> = { ...event.queryStringParameters };
  // A query has only text; what does not look like a number is left for the schema to refuse.
  if (typeof query['limit'] === 'string' && /^\d{1,9}$/.test(query['limit'])) query['limit'] = Number(query['limit']);
  const { value, faults } = check(query, schemas.list, (names) => ['query', ...names].join('.'));
  if (!value) throw invalid(faults);
  const { cursor, ...rest } = value;
  if (cursor === undefined) return { operation: 'list', ...rest };
  const after = decodeLockId(cursor);
  if (after === undefined)
    throw invalid([{ path: 'query.cursor', detail: 'must be a cursor that a page of this list gave' }]);
  return { operation: 'list', ...rest, after };
}
