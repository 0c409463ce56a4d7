/** Gives the W3C `traceparent` of whatever is going on, or nothing. */
export type TraceparentSource = () => string | undefined;

const form = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/**
 * The header that goes with a request. It is not signed, for gateways and proxies may change it. A source that fails, or
 * gives something else than a traceparent, costs the trace and not the request.
 */
export function traceparentHeader(source: TraceparentSource | undefined): { traceparent?: string } {
  try {
    const traceparent = source?.();
    return traceparent !== undefined && form.test(traceparent) ? { traceparent } : {};
  } catch {
    return {};
  }
}
