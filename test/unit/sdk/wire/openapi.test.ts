import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operationDocs } from '../../../../sdk/wire/documentation.ts';
import { openApiDocument } from '../../../../sdk/wire/openapi.ts';
import { type ProblemCode, problemStatuses } from '../../../../sdk/wire/problems.ts';
import { routes } from '../../../../sdk/wire/routes.ts';
import { departureFromDocument } from '../../../support/documented-answer.ts';

const root = join(__dirname, '..', '..', '..', '..');

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: { name: string; in: string; schema: object }[];
  readonly requestBody?: { required: boolean };
  readonly responses: Record<string, { description: string }>;
}

const document = openApiDocument() as unknown as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, { properties: Record<string, object> }> };
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** Asks the validator, in a process of its own: it is an ES module. */
async function verdictOn(spec: object): Promise<{ valid: boolean }> {
  const script = `
    import { Validator } from '@seriousme/openapi-schema-validator';
    const chunks = [];
    for await (const chunk of process.stdin) chunks.push(chunk);
    const { valid, errors } = await new Validator().validate(JSON.parse(Buffer.concat(chunks)));
    console.log(JSON.stringify({ valid, errors }));
  `;
  const asked = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
  asked.child.stdin?.end(JSON.stringify(spec));
  return JSON.parse((await asked).stdout);
}

describe('the OpenAPI document', () => {
  it('is the one that is committed: run `tsx test/support/write-openapi.ts` after a change of the contract', async () => {
    const committed = await readFile(join(root, 'sdk', 'wire', 'openapi.json'), 'utf8');
    expect(committed).toBe(`${JSON.stringify(document, null, 2)}\n`);
  });

  it('is valid OpenAPI 3.1', async () => {
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
    expect(await verdictOn(document)).toEqual({ valid: true });
    expect(await verdictOn({ ...document, paths: { '/x': { get: { responses: 'none' } } } })).toMatchObject({
      valid: false,
    });
  });

  it('has every route, under its path and method', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(routes).sort());
    for (const { operation, path, method } of Object.values(routes)) {
      expect(document.paths[path]?.[method.toLowerCase()]).toMatchObject({ operationId: operation });
    }
  });

  it('documents with each route exactly the problems that it and every route may answer', () => {
    for (const route of Object.values(routes)) {
      const body = route.method === 'POST' ? ['too-large', 'unsupported-media-type'] : [];
      const codes = [
        'invalid-request',
        'forbidden',
        'throttled',
        'internal',
        'store-unavailable',
        ...body,
        ...operationDocs[route.operation].problems,
      ];
      const responses = document.paths[route.path]?.[route.method.toLowerCase()]?.responses ?? {};
      const documented = Object.entries(responses).flatMap(([status, { description }]) =>
        [...description.matchAll(/`([a-z-]+)`/g)].map(([, code]) => `${status} ${code}`),
      );
      const expected = codes.map((code) => `${problemStatuses[code as ProblemCode]} ${code}`);
      expect(documented.sort()).toEqual(expected.sort());
    }
  });

  it('refuses unknown fields in every request', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (name.endsWith('Request')) expect(schema).toMatchObject({ additionalProperties: false });
    }
  });

  it('says which bodies may be left out', () => {
    const required = operations
      .filter(({ requestBody }) => requestBody)
      .map(({ operationId, requestBody }) => [operationId, requestBody?.required]);
    expect(Object.fromEntries(required)).toEqual({
      try: false,
      acquire: false,
      renew: true,
      release: true,
      break: true,
    });
  });

  it('has the bounds that the service checks', () => {
    const acquire = document.components.schemas['AcquireRequest']?.properties;
    expect(acquire).toMatchObject({
      ownerToken: { pattern: '^[A-Za-z0-9_-]{22,43}$' },
      holder: { minLength: 1, maxLength: 256 },
      leaseMs: { minimum: 1_000, maximum: 86_400_000, default: 30_000 },
      waitMs: { minimum: 0, maximum: 20_000, default: 20_000 },
      confirm: { type: 'boolean', default: false },
    });
    const list = document.paths['/v1/admin/locks']?.['get']?.parameters;
    expect(list?.map(({ name }) => name)).toEqual(['prefix', 'state', 'limit', 'cursor']);
    expect(list?.find(({ name }) => name === 'limit')?.schema).toMatchObject({
      minimum: 1,
      maximum: 1_000,
      default: 100,
    });
  });

  it('has no token in what people may see', () => {
    // An heir's lease goes to the one who named the heir and its token.
    for (const name of ['LockView', 'LockPage', 'Broken', 'Problem']) {
      expect(JSON.stringify(document.components.schemas[name])).not.toMatch(/ownerToken|owner|last|tickets|queue/);
    }
  });
});

describe('an answer', () => {
  const json = { 'content-type': 'application/json' };
  const problemJson = { 'content-type': 'application/problem+json' };
  const view = { lockId: 'a', state: 'free', waiters: 0 };
  const held = { type: 't', title: 't', status: 409, detail: 'd', code: 'lock-held' };

  it.each([
    ['a success', 'inspect', { statusCode: 200, headers: json, body: JSON.stringify(view) }],
    ['a problem', 'try', { statusCode: 409, headers: problemJson, body: JSON.stringify(held) }],
  ] as const)('is as documented: %s', (_, operation, answer) => {
    expect(departureFromDocument(operation, answer)).toBeUndefined();
  });

  it.each([
    ['a status', 'inspect', { statusCode: 409, headers: problemJson, body: JSON.stringify(held) }],
    ['a media type', 'inspect', { statusCode: 200, headers: problemJson, body: JSON.stringify(view) }],
    ['an unknown member', 'inspect', { statusCode: 200, headers: json, body: JSON.stringify({ ...view, owner: 'x' }) }],
    ['a missing member', 'inspect', { statusCode: 200, headers: json, body: '{}' }],
    ['a value', 'inspect', { statusCode: 200, headers: json, body: JSON.stringify({ ...view, waiters: -1 }) }],
    [
      'a nested value',
      'list',
      { statusCode: 200, headers: json, body: JSON.stringify({ locks: [{ ...view, state: 'x' }] }) },
    ],
  ] as const)('is found to depart from the document in %s', (_, operation, answer) => {
    expect(departureFromDocument(operation, answer)).toEqual(expect.any(String));
  });
});
