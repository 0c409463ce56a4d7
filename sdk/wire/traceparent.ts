/** A W3C `traceparent`: version, trace, span, flags. Version `ff` and ids of zeros alone are forbidden. */
export const traceparentForm = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;

/**
 * The trace and the span that a header names; nothing for another text. Where it was sent several times (an
 * instrumentation of `fetch` adds its own), it is a list, and the last of it is the nearest to the request.
 */
export function traceOf(header: string): { traceId: string; spanId: string } | undefined {
  const last = header.split(',').findLast((each) => traceparentForm.test(each.trim()));
  const [, traceId, spanId] = traceparentForm.exec(last?.trim() ?? '') ?? [];
  return traceId && spanId ? { traceId, spanId } : undefined;
}
