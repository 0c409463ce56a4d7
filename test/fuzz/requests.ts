import fc from 'fast-check';
import * as z from 'zod';
import { openApiDocument } from '../../sdk/wire/openapi.ts';
import { type Operation, routes } from '../../sdk/wire/routes.ts';
import type { Sent } from '../support/gateway-event.ts';
import { hostileLockIds } from '../support/hostile-lock-ids.ts';
import { T0 } from '../support/lock-items.ts';

/** A request, and what the document says of it. */
export interface Generated {
  readonly operation: Operation;
  readonly sent: Sent;
  /** `valid`: must not be refused as invalid; `invalid`: must be. `any`: the document is silent, as about a path. */
  readonly expectation: 'valid' | 'invalid' | 'any';
}

type Schema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
};

const document = openApiDocument() as {
  paths: Record<string, Record<string, { requestBody?: unknown; parameters: { name: string; schema: Schema }[] }>>;
  components: { schemas: Record<string, Schema> };
};

const requestNames: Partial<Record<Operation, string>> = {
  try: 'TryRequest',
  acquire: 'AcquireRequest',
  renew: 'RenewRequest',
  release: 'ReleaseRequest',
  break: 'BreakRequest',
};

/** Owner tokens that many requests share, so that they meet: of the shortest and of the longest length, and between. */
export const tokens = ['a', 'b', 'c', 'd'].map((letter, index) => letter.repeat([22, 43, 30, 22][index] ?? 22));

const lockIds = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b/ä') },
  { weight: 1, arbitrary: fc.constantFrom(...hostileLockIds) },
);
const anything = fc.oneof(
  fc.anything({ withBigInt: false, withDate: false, maxDepth: 2 }),
  fc.constantFrom<unknown>('', ' ', 'x'.repeat(257), 'a\u0000b', 'a\u202Eb', -1, 0, 0.5, 1e21, null, true, [], {}),
);
// Near the ends, where the rules are.
const wholeNumber = (min: number, max: number) =>
  fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max), fc.integer({ min, max: Math.min(max, min + 20_000) }));

function fieldOf(name: string, schema: Schema): fc.Arbitrary<unknown> {
  if (name === 'ownerToken') return fc.constantFrom(...tokens);
  // That of a lock's first grants, at the beginning of the test's time, so that some holds are broken.
  if (name === 'fencingToken') return fc.oneof(fc.integer({ min: T0, max: T0 + 4 }), fc.constantFrom(1, T0 + 100_000));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'integer':
      return wholeNumber(schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return name === 'prefix'
        ? fc.constantFrom('', 'a', 'b/', '🔒')
        : fc.string({ minLength: 1, maxLength: schema.maxLength ?? 20 });
    case 'object':
      return objectOf(schema);
    default:
      throw new Error(`the document has a kind of field that nothing generates: ${name} ${JSON.stringify(schema)}`);
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fieldOf(name, schema)]));
  return fc.record(model, { requiredKeys: [...required] });
}

// Rules between fields, which a schema of the document cannot say.
function keepsTheRulesBetweenFields(body: Record<string, unknown>): boolean {
  const { ownerToken, keepPlace, resume, heir, heirFirst } = body as Record<string, unknown> & {
    heir?: { ownerToken: string };
  };
  return (
    !((keepPlace || resume) && ownerToken === undefined) &&
    !(heirFirst && heir === undefined) &&
    !(heir !== undefined && heir.ownerToken === ownerToken)
  );
}

const schemas = Object.fromEntries(
  Object.entries(requestNames).map(([operation, name]) => [
    operation,
    z.fromJSONSchema(document.components.schemas[name] as never),
  ]),
);

function bodies(operation: Operation): fc.Arbitrary<Record<string, unknown>> {
  return objectOf(document.components.schemas[requestNames[operation] ?? ''] ?? {});
}

function validWithBody(operation: Operation): fc.Arbitrary<Generated> {
  const body = bodies(operation).filter(keepsTheRulesBetweenFields);
  const contentType = fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/JSON');
  return fc
    .record({ body, lockId: lockIds, contentType })
    .map((sent) => ({ operation, sent, expectation: 'valid' as const }));
}

/** A valid body with one thing changed: a field's value, a field too many, a field too few. */
function changedBody(operation: Operation): fc.Arbitrary<Generated> {
  const names = Object.keys(document.components.schemas[requestNames[operation] ?? '']?.properties ?? {});
  const change = fc.oneof(
    fc.tuple(fc.constantFrom(...names), anything).map(([name, value]) => ({ [name]: value })),
    fc.tuple(fc.string(), anything).map(([name, value]) => ({ [name]: value })),
    fc.constantFrom(...names).map((name) => ({ [name]: undefined })),
  );
  return fc.record({ body: bodies(operation), change, lockId: lockIds }).map(({ body, change: changed, lockId }) => {
    const text = JSON.stringify({ ...body, ...changed });
    const fits = schemas[operation]?.safeParse(JSON.parse(text)).success;
    return { operation, sent: { lockId, body: text }, expectation: fits ? ('any' as const) : ('invalid' as const) };
  });
}

/** What is no JSON object of the document at all. */
function garbage(operation: Operation): fc.Arbitrary<Generated> {
  const sent: fc.Arbitrary<Sent> = fc.oneof(
    anything.map((value) => ({ body: JSON.stringify([value]) })),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).map((text) => ({ body: `${text}}` })),
    fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => ({
      body: `${Buffer.from(bytes).toString('base64')}fQ==`,
      isBase64Encoded: true,
    })),
    fc.integer({ min: 4_097, max: 20_000 }).map((length) => ({ body: 'x'.repeat(length) })),
    fc
      .constantFrom('text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '', null)
      .map((contentType) => ({ body: { ownerToken: tokens[0] }, contentType })),
  );
  return sent.map((each) => ({ operation, sent: each, expectation: 'invalid' as const }));
}

/** A path as no client spells it. */
function strangePath(operation: Operation): fc.Arbitrary<Generated> {
  const segment = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('~', '~2f', '~41', '.', '..', 'a/b', 'x'.repeat(513), '~F0~9F', '%41', 'a?b', ''),
  );
  const rawPath = fc.option(fc.string({ maxLength: 20 }), { nil: undefined, freq: 2 });
  return fc.record({ segment, rawPath }).map((sent) => ({
    operation,
    sent: {
      segment: sent.segment,
      ...(sent.rawPath !== undefined && { rawPath: sent.rawPath }),
      ...(requestNames[operation] && { body: { ownerToken: tokens[0], fencingToken: 1 } }),
    },
    expectation: 'any' as const,
  }));
}

const looks: fc.Arbitrary<Generated> = lockIds.map((lockId) => ({
  operation: 'inspect',
  sent: { lockId },
  expectation: 'valid',
}));

const listParameters = document.paths[routes.list.path]?.['get']?.parameters ?? [];
const listings: fc.Arbitrary<Generated> = fc
  .record(
    Object.fromEntries(
      listParameters
        .filter(({ name }) => name !== 'cursor')
        .map(({ name, schema }) => [name, fieldOf(name, schema).map(String)]),
    ),
    { requiredKeys: [] },
  )
  .map((query) => ({ operation: 'list', sent: { query: query as Record<string, string> }, expectation: 'valid' }));
const strangeListings: fc.Arbitrary<Generated> = fc
  .dictionary(
    fc.oneof(fc.constantFrom('prefix', 'state', 'limit', 'cursor'), fc.string()),
    fc.string({ unit: 'binary' }),
  )
  .map((query) => ({ operation: 'list', sent: { query }, expectation: 'any' }));

const withBody = Object.keys(requestNames) as Operation[];

/** Any request to any route. */
export const requests: fc.Arbitrary<Generated> = fc.oneof(
  ...withBody.flatMap((operation) => [
    { weight: 6, arbitrary: validWithBody(operation) },
    { weight: 3, arbitrary: changedBody(operation) },
    { weight: 1, arbitrary: garbage(operation) },
    { weight: 1, arbitrary: strangePath(operation) },
  ]),
  { weight: 4, arbitrary: looks },
  { weight: 3, arbitrary: listings },
  { weight: 1, arbitrary: strangeListings },
  { weight: 1, arbitrary: strangePath('inspect') },
);
