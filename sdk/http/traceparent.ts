import { traceparentForm } from '../wire/traceparent.ts';

/** Gives the W3C `traceparent` of whatever is going on, or nothing. */
export type TraceparentSource = () => string | undefined;

/**
 * The header that goes with a request. It is not signed, for gateways and proxies may change it. A source that fails, or
 * gives something else than a traceparent, costs the trace and not the request.
 */
export function traceparentHeader(source: TraceparentSource | undefined): { traceparent?: string } {
  try {
    const traceparent: unknown = source?.();
    if (typeof traceparent === 'string' && traceparentForm.test(traceparent)) return { traceparent };
    // The type does not allow an asynchronous source, but a program without types may have one that fails later.
    Promise.resolve(traceparent).catch(() => undefined);
    return {};
  } catch {
    return {};
  }
}
