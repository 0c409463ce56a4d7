import type { APIGatewayProxyEventV2 } from 'aws-lambda';

const form = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;

/** The caller's trace and span of a W3C `traceparent`, for the log; nothing where there is none, or no valid one. */
export function traceOf({ headers }: APIGatewayProxyEventV2): { traceId?: string; spanId?: string } {
  const [, traceId, spanId] = form.exec(headers['traceparent'] ?? '') ?? [];
  return traceId && spanId ? { traceId, spanId } : {};
}
