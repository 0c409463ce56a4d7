import { context, metrics, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ForbiddenError, LockFactory, LockServiceError } from '../../../sdk/index.ts';
import { openTelemetry } from '../../../sdk/opentelemetry.ts';
import { inFakeTime } from '../../support/fake-timers.ts';
import { type Fault, ServiceBackend } from '../../support/service-backend.ts';

// Collects when asked: one that exports from time to time would keep fake time busy.
class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

let spans: InMemorySpanExporter;
let reader: Reader;
let backend: ServiceBackend;
let locks: LockFactory;

beforeEach(() => {
  jest.useFakeTimers();
  spans = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
  reader = new Reader();
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  backend = new ServiceBackend();
  locks = new LockFactory(backend, { random: () => 0.5, onEvent: openTelemetry().onEvent });
});

afterEach(async () => {
  jest.useRealTimers();
  await reader.shutdown();
  for (const api of [trace, metrics, context, propagation]) api.disable();
});

const throttled: Fault = { kind: 'throttled', error: new LockServiceError('slow down', { outcomeUnknown: false }) };

function inSpan<T>(name: string, run: () => Promise<T>): Promise<T> {
  return trace.getTracer('test').startActiveSpan(name, async (span) => {
    try {
      return await run();
    } finally {
      span.end();
    }
  });
}

async function measured(): Promise<Record<string, unknown>> {
  const { resourceMetrics } = await reader.collect();
  const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  return Object.fromEntries(
    all.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.map(({ attributes, value }) => [
        attributes,
        typeof value === 'object' ? [value.count, value.sum] : value,
      ]),
    ]),
  );
}

describe('OpenTelemetry', () => {
  it('sees the acquiring and the hold as children of what wanted the lock, with their times', async () => {
    const lock = locks.createLock('a');
    await inSpan('job', async () => {
      await lock.lock();
      await jest.advanceTimersByTimeAsync(15_000);
      await lock.unlock();
    });
    const [acquire, hold, job] = spans.getFinishedSpans();
    expect([acquire?.name, hold?.name, job?.name]).toEqual(['holdfast.acquire', 'holdfast.hold', 'job']);
    expect(acquire?.parentSpanContext?.spanId).toBe(job?.spanContext().spanId);
    expect(hold?.parentSpanContext?.spanId).toBe(job?.spanContext().spanId);
    expect(hold?.duration[0]).toBe(15);
    expect(hold?.attributes).toEqual({ 'holdfast.lock_id': 'a', 'holdfast.fencing_token': expect.any(Number) });
    expect(hold?.status.code).toBe(SpanStatusCode.UNSET);
    expect(await measured()).toEqual({
      'holdfast.acquire.duration': [[{ 'holdfast.outcome': 'acquired' }, [1, 0]]],
      'holdfast.hold.duration': [[{}, [1, 15]]],
      'holdfast.renewals': [[{ 'holdfast.outcome': 'renewed' }, 1]],
    });
  });

  it('sees a lost hold as an error with its reason, and failed renewals before it', async () => {
    const lock = locks.createLock('a', { leaseMs: 3_000 });
    backend.fault = ({ operation }) => (operation === 'renew' ? throttled : undefined);
    await inSpan('job', async () => {
      await lock.lock();
      await jest.advanceTimersByTimeAsync(3_000);
    });
    const [, hold, job] = spans.getFinishedSpans();
    expect(hold).toMatchObject({
      name: 'holdfast.hold',
      status: { code: SpanStatusCode.ERROR, message: 'unreachable' },
      attributes: { 'holdfast.reason': 'unreachable' },
    });
    expect(job?.events[0]).toMatchObject({ name: 'holdfast.renewFailed' });
    expect(await measured()).toMatchObject({
      'holdfast.lost': [[{ 'holdfast.reason': 'unreachable' }, 1]],
      'holdfast.renewals': [[{ 'holdfast.outcome': 'failed' }, expect.any(Number)]],
    });
  });

  it('sees attempts that end without the lock, those that fail as errors', async () => {
    await new LockFactory(backend).createLock('a').lock();
    await inSpan('job', () => locks.createLock('a').tryLock());
    backend.fault = () => ({ kind: 'refused', error: new ForbiddenError('no') });
    await expect(locks.createLock('b').lock()).rejects.toThrow('no');
    const [held, , failed] = spans.getFinishedSpans();
    expect(held).toMatchObject({ name: 'holdfast.acquire', status: { code: SpanStatusCode.UNSET } });
    expect(failed).toMatchObject({ name: 'holdfast.acquire', status: { code: SpanStatusCode.ERROR, message: 'no' } });
    expect(await measured()).toMatchObject({
      'holdfast.acquire.duration': [
        [{ 'holdfast.outcome': 'held' }, [1, 0]],
        [{ 'holdfast.outcome': 'forbidden' }, [1, 0]],
      ],
    });
  });

  it('tells short waits from long ones', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    await jest.advanceTimersByTimeAsync(1_500);
    await lock.unlock();
    const { resourceMetrics } = await reader.collect();
    const hold = resourceMetrics.scopeMetrics[0]?.metrics.find(
      (each) => each.descriptor.name === 'holdfast.hold.duration',
    );
    const [point] = hold?.dataPoints ?? [];
    const { buckets } = (point as NonNullable<typeof point>).value as unknown as {
      buckets: { boundaries: number[]; counts: number[] };
    };
    const at = buckets.counts.indexOf(1);
    expect(buckets.boundaries.slice(at - 1, at + 1)).toEqual([1, 2.5]);
    expect(buckets.boundaries[0]).toBeLessThan(0.01);
  });

  it('counts releases that failed', async () => {
    const lock = locks.createLock('a');
    await lock.lock();
    backend.fault = ({ operation }) => (operation === 'release' ? throttled : undefined);
    await expect(inFakeTime(lock.unlock())).rejects.toThrow(LockServiceError);
    expect(await measured()).toMatchObject({ 'holdfast.release.failures': [[{}, 1]] });
  });

  it('gives the traceparent of what is going on, and nothing outside', async () => {
    const { traceparent } = openTelemetry();
    expect(traceparent()).toBeUndefined();
    await inSpan('job', async () => {
      const { traceId, spanId } = trace.getActiveSpan()?.spanContext() ?? {};
      expect(traceparent()).toBe(`00-${traceId}-${spanId}-01`);
    });
  });
});
