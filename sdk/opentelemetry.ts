import { type Attributes, context, metrics, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import type { EventListener, LockEvent } from './events.ts';
import type { TraceparentSource } from './http/traceparent.ts';

/**
 * The options of a factory that make OpenTelemetry see its locks.
 *
 * @example const { onEvent, traceparent }: OpenTelemetryOptions = openTelemetry();
 */
export interface OpenTelemetryOptions {
  /** Makes spans and metrics of what happens to the locks. */
  readonly onEvent: EventListener;
  /** For `LockFactory.connect` alone: the functions of the service log the trace. */
  readonly traceparent: TraceparentSource;
}

const name = 'holdfast';

/**
 * Spans and metrics of locks, for the providers that are registered with `@opentelemetry/api` at that time.
 *
 * Spans, children of whatever was going on when the lock was wanted, with `holdfast.lock_id` and
 * `holdfast.fencing_token`: `holdfast.acquire` from the call to the grant, `holdfast.hold` from the grant to the release;
 * a lost hold is an error with its reason. A failed renewal or release is an event of the span that is active.
 *
 * Metrics, without lock ids: `holdfast.acquire.duration` and `holdfast.hold.duration` (histograms, seconds),
 * `holdfast.renewals` by `holdfast.outcome` (`renewed`, `failed`), `holdfast.lost` by `holdfast.reason`, and
 * `holdfast.release.failures` (counters).
 *
 * @example const locks = LockFactory.connect({ url, ...openTelemetry() });
 * @example const locks = connectMemory({ onEvent: openTelemetry().onEvent });
 */
export function openTelemetry(): OpenTelemetryOptions {
  const tracer = trace.getTracer(name);
  const meter = metrics.getMeter(name);
  const seconds = { unit: 's' };
  const acquireDuration = meter.createHistogram('holdfast.acquire.duration', seconds);
  const holdDuration = meter.createHistogram('holdfast.hold.duration', seconds);
  const renewals = meter.createCounter('holdfast.renewals');
  const lost = meter.createCounter('holdfast.lost');
  const releaseFailures = meter.createCounter('holdfast.release.failures');

  const span = (spanName: string, lastedMs: number, attributes: Attributes, error?: string) => {
    const endedMs = Date.now();
    const ended = tracer.startSpan(spanName, { startTime: endedMs - lastedMs, attributes });
    if (error !== undefined) ended.setStatus({ code: SpanStatusCode.ERROR, message: error });
    ended.end(endedMs);
  };
  const note = ({ type }: LockEvent, attributes: Attributes, error: Error) =>
    trace.getActiveSpan()?.addEvent(`holdfast.${type}`, { ...attributes, 'exception.message': error.message });

  const onEvent: EventListener = (event) => {
    const attributes: Attributes = {
      'holdfast.lock_id': event.lockId,
      ...('fencingToken' in event && { 'holdfast.fencing_token': event.fencingToken }),
    };
    switch (event.type) {
      case 'acquired':
        acquireDuration.record(event.waitedMs / 1_000);
        span('holdfast.acquire', event.waitedMs, attributes);
        break;
      case 'released':
        holdDuration.record(event.heldMs / 1_000);
        span('holdfast.hold', event.heldMs, attributes);
        break;
      case 'lost':
        holdDuration.record(event.heldMs / 1_000);
        lost.add(1, { 'holdfast.reason': event.reason });
        span('holdfast.hold', event.heldMs, { ...attributes, 'holdfast.reason': event.reason }, event.reason);
        break;
      case 'renewed':
        renewals.add(1, { 'holdfast.outcome': 'renewed' });
        break;
      case 'renewFailed':
        renewals.add(1, { 'holdfast.outcome': 'failed' });
        note(event, attributes, event.error);
        break;
      case 'releaseFailed':
        releaseFailures.add(1);
        note(event, attributes, event.error);
        break;
    }
  };
  return { onEvent, traceparent };
}

function traceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}
