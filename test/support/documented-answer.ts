import * as z from 'zod';
import { openApiDocument } from '../../sdk/wire/openapi.ts';
import { type Operation, routes } from '../../sdk/wire/routes.ts';

interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, DocumentedResponse> }>>;
  readonly components: { readonly schemas: Record<string, object> };
}

interface DocumentedResponse {
  readonly content: Record<string, { readonly schema: { readonly $ref: string } }>;
}

/** An answer of a handler, as it goes to the gateway. */
export interface Answer {
  readonly statusCode?: number | undefined;
  readonly headers?: Record<string, unknown> | undefined;
  readonly body?: string | undefined;
}

const document = openApiDocument() as unknown as Document;

const schemas = Object.fromEntries(
  Object.entries(document.components.schemas).map(([name, schema]) => [name, z.fromJSONSchema(schema as never)]),
);

/**
 * Says how an answer departs from what the OpenAPI document says of its route: status, media type, every member of the
 * body. Nothing: it is as documented.
 */
export function departureFromDocument(operation: Operation, { statusCode, headers, body }: Answer): string | undefined {
  const { path, method } = routes[operation];
  const documented = document.paths[path]?.[method.toLowerCase()]?.responses[String(statusCode)];
  if (!documented) return `${operation} has no documented answer ${statusCode}`;
  const mediaType = String(headers?.['content-type']);
  const reference = documented.content[mediaType]?.schema.$ref;
  if (!reference) return `${operation} ${statusCode} has no documented media type ${mediaType}`;
  const name = reference.replace('#/components/schemas/', '');
  const result = schemas[name]?.safeParse(JSON.parse(body ?? ''));
  if (!result) return `there is no schema ${name}`;
  return result.success ? undefined : `${operation} ${statusCode} is no ${name}: ${z.prettifyError(result.error)}`;
}
