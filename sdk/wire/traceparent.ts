const form = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;

/** The trace and the span that a W3C `traceparent` names; nothing for another text. */
export function traceOf(traceparent: string): { traceId: string; spanId: string } | undefined {
  const [, traceId, spanId] = form.exec(traceparent) ?? [];
  return traceId && spanId ? { traceId, spanId } : undefined;
}
