import * as z from 'zod/mini';
import { bodyProblems, commonProblems, operationDocs, problemTitles } from './documentation.ts';
import { limits } from './limits.ts';
import { lockPageSchema, lockViewSchema } from './lock-view.ts';
import { brokenSchema, leaseSchema, releasedSchema, requestSchemas } from './messages.ts';
import { type ProblemCode, problemMediaType, problemSchema, problemStatuses } from './problems.ts';
import { type Operation, type Route, routes } from './routes.ts';

type JsonObject = Record<string, unknown>;

const requests = requestSchemas();

const responses: Record<Operation, { name: string; schema: z.ZodMiniType }> = {
  try: { name: 'Lease', schema: leaseSchema },
  acquire: { name: 'Lease', schema: leaseSchema },
  renew: { name: 'Lease', schema: leaseSchema },
  release: { name: 'Released', schema: releasedSchema },
  inspect: { name: 'LockView', schema: lockViewSchema },
  list: { name: 'LockPage', schema: lockPageSchema },
  break: { name: 'Broken', schema: brokenSchema },
};

const bodies: Partial<Record<Operation, { name: string; schema: z.ZodMiniType }>> = {
  try: { name: 'TryRequest', schema: requests.try },
  acquire: { name: 'AcquireRequest', schema: requests.acquire },
  renew: { name: 'RenewRequest', schema: requests.renew },
  release: { name: 'ReleaseRequest', schema: requests.release },
  break: { name: 'BreakRequest', schema: requests.break },
};

function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io }) as JsonObject;
  return rest;
}

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

function problemResponses(codes: readonly ProblemCode[]): JsonObject {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const status = problemStatuses[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, same]) => [
        String(status),
        {
          description: same.map((code) => `\`${code}\`: ${problemTitles[code]}.`).join(' '),
          content: { [problemMediaType]: { schema: reference('Problem') } },
        },
      ]),
  );
}

function parameters(route: Route): JsonObject[] {
  if (route.operation === 'list') {
    const query = jsonSchema(requests.list, 'input') as { properties: Record<string, JsonObject> };
    return Object.entries(query.properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
  }
  return [
    {
      name: 'lockId',
      in: 'path',
      required: true,
      description: `The lock id, 1 to ${limits.lockIdBytes} UTF-8 bytes; every byte outside A-Za-z0-9._- is spelled ~XX (upper-case hexadecimal), and so are the dots of an id of dots only. Only that one spelling is accepted.`,
      schema: { type: 'string', pattern: '^([A-Za-z0-9._-]|~[0-9A-F]{2})+$', maxLength: limits.lockIdBytes * 3 },
    },
  ];
}

function operation(route: Route): JsonObject {
  const body = bodies[route.operation];
  const { summary, problems } = operationDocs[route.operation];
  const codes = [...commonProblems, ...(body ? bodyProblems : []), ...problems];
  return {
    operationId: route.operation,
    summary,
    parameters: parameters(route),
    ...(body && {
      requestBody: {
        // try and acquire have a default for every field, so they may come without a body.
        required: !['try', 'acquire'].includes(route.operation),
        content: { 'application/json': { schema: reference(body.name) } },
      },
    }),
    responses: {
      '200': {
        description: 'Done.',
        content: { 'application/json': { schema: reference(responses[route.operation].name) } },
      },
      ...problemResponses(codes),
    },
  };
}

/** The OpenAPI 3.1 document of the API, made from the schemas that the service validates with. */
export function openApiDocument(): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of Object.values(routes)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  const schemas: Record<string, JsonObject> = {};
  for (const { name, schema } of Object.values(bodies)) schemas[name] = jsonSchema(schema, 'input');
  for (const { name, schema } of Object.values(responses)) schemas[name] = jsonSchema(schema, 'output');
  schemas['Problem'] = jsonSchema(problemSchema, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: '1',
      description:
        'Leased, fenced locks. A route that does not exist is answered by the gateway itself: 404 {"message":"Not Found"}.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:3000', description: 'The local stack' }],
    // Requests are signed with AWS Signature Version 4 (service execute-api) where the deployment authorizes with IAM.
    security: [{ sigv4: [] }, {}],
    paths,
    components: {
      schemas,
      securitySchemes: {
        sigv4: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'AWS Signature Version 4.' },
      },
    },
  };
}
