import { EmittedMetrics } from '../../../lambda/emitted-metrics.ts';
import { countedOperations, type MetricName } from '../../../lambda/names.ts';
import { StoreUnavailableError } from '../../../lambda/service/lock-store.ts';
import { type Operation, routes } from '../../../sdk/wire/routes.ts';
import { handlersUnderTest } from '../../support/handlers-under-test.ts';
import { alice, bob, carol, heldItem, T0, tokenOf, withWaiter } from '../../support/lock-items.ts';
import { expectNoSecretIn } from '../../support/secrets.ts';

// Powertools warns of times that CloudWatch would refuse: too old, or in the future.
const startMs = Date.now() - 3_600_000;

let written: string[];
beforeEach(() => {
  written = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => jest.restoreAllMocks());

/** The lines on standard output, as JSON. */
const lines = () =>
  written
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

function metricsUnderTest() {
  const clock = { now: startMs };
  return { clock, metrics: new EmittedMetrics('blue', () => clock.now) };
}

/** Metrics of a process that was called so often that it gathers. */
function busyMetricsUnderTest() {
  const under = metricsUnderTest();
  for (let call = 0; call < 10; call++) under.metrics.add('try', { Grants: 1 });
  expect(lines()).toHaveLength(10);
  written.length = 0;
  return under;
}

describe('the metrics of a function', () => {
  it('are lines of the embedded metric format, with the dimensions service and operation', () => {
    const { metrics } = metricsUnderTest();
    metrics.add('acquire', { Grants: 1, Waits: 250 });
    expect(lines()).toEqual([
      {
        _aws: {
          Timestamp: startMs,
          CloudWatchMetrics: [
            {
              Namespace: 'Holdfast',
              Dimensions: [['service', 'operation']],
              Metrics: [
                { Name: 'Grants', Unit: 'Count' },
                { Name: 'Waits', Unit: 'Milliseconds' },
              ],
            },
          ],
        },
        service: 'blue',
        operation: 'acquire',
        Grants: 1,
        Waits: 250,
      },
    ]);
  });

  it('are written at each call where calls are few, so that nothing is lost with the process', () => {
    const { clock, metrics } = metricsUnderTest();
    for (let burst = 1; burst <= 3; burst++) {
      for (let call = 0; call < 6; call++) {
        clock.now += 100;
        metrics.add('try', { Grants: 1 });
      }
      expect(lines()).toHaveLength(6 * burst);
      clock.now += 60_000;
    }
  });

  it('are gathered for ten seconds where calls are many, so that they are few lines: one for each operation', () => {
    const { clock, metrics } = busyMetricsUnderTest();
    for (let call = 0; call < 1_000; call++) {
      clock.now = startMs + 1 + call;
      metrics.add('try', call % 4 === 0 ? { Refusals: 1 } : { Grants: 1 });
      metrics.add('release', { HandOvers: 1 });
    }
    clock.now = startMs + 9_999;
    metrics.add('renew', {});
    expect(written).toEqual([]);
    clock.now = startMs + 10_000;
    metrics.add('renew', {});
    expect(lines()).toMatchObject([
      { operation: 'try', Grants: 750, Refusals: 250 },
      { operation: 'release', HandOvers: 1_000 },
    ]);
  });

  it('keep every wait, so that its quantiles are true, over more waits than one line may have', () => {
    const { clock, metrics } = metricsUnderTest();
    const waits = Array.from({ length: 250 }, (_, index) => 10 + index);
    for (const Waits of waits) metrics.add('acquire', { Waits, Grants: 1 });
    clock.now += 10_000;
    metrics.add('acquire', {});
    expect(lines().flatMap(({ Waits }) => Waits)).toEqual(waits);
    for (const line of lines()) expect(line).toMatchObject({ operation: 'acquire', service: 'blue' });
    expect(lines().reduce((sum, { Grants }) => sum + Grants, 0)).toBe(250);
  });

  it('bear the time of what they count, however long the process was frozen since', () => {
    const { clock, metrics } = busyMetricsUnderTest();
    clock.now = startMs + 3_000;
    metrics.add('try', { Grants: 1 });
    clock.now = startMs + 4_000;
    metrics.add('try', { Grants: 1 });
    clock.now = startMs + 600_000;
    metrics.add('inspect', {});
    expect(lines()).toMatchObject([{ _aws: { Timestamp: startMs + 3_000 }, Grants: 2 }]);
  });

  it.each(['Breaks', 'LeasesLost', 'StoreUnavailable', 'InternalErrors'] as const)('tell of %s at once', (name) => {
    const { metrics } = busyMetricsUnderTest();
    metrics.add('try', { Grants: 1 });
    expect(written).toEqual([]);
    metrics.add('renew', { [name]: 1 });
    expect(lines()).toMatchObject([
      { operation: 'try', Grants: 1 },
      { operation: 'renew', [name]: 1 },
    ]);
  });

  it('write nothing of calls that came to nothing', () => {
    const { clock, metrics } = metricsUnderTest();
    for (let call = 0; call < 10; call++) {
      clock.now += 60_000;
      metrics.add('renew', {});
    }
    expect(written).toEqual([]);
  });

  it('write nothing where Powertools is told so, as the local stack does', () => {
    process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
    try {
      metricsUnderTest().metrics.add('break', { Breaks: 1 });
      expect(written).toEqual([]);
    } finally {
      delete process.env['POWERTOOLS_METRICS_DISABLED'];
    }
  });

  it('of real calls hold names and numbers alone: no token, lock, holder or principal', async () => {
    const metrics = new EmittedMetrics('blue', () => startMs);
    const heir = tokenOf('erin');
    let isDown = false;
    const under = handlersUnderTest({
      metrics,
      authorization: 'iam',
      items: [
        heldItem('orders-secret', { until: T0 + 600_000 }),
        withWaiter(heldItem('awaited', { owner: bob })),
        heldItem('inherited', { owner: bob }),
      ],
      interposition: {
        before() {
          if (isDown) throw new StoreUnavailableError('claim: DynamoDB answered TimeoutError: slow');
        },
      },
    });
    const authorizer = { iam: { userArn: 'arn:aws:iam::1:user/mallory' } };
    const send = (operation: Operation, lockId: string, body?: object) =>
      under.send(operation, { lockId, authorizer, ...(body && { body }) });
    const mine = { ownerToken: bob, holder: 'host-bob' };
    for (isDown of [false, true]) {
      await send('try', 'orders-secret', mine);
      await send('try', 'free', mine);
      await send('acquire', 'orders-secret', { ...mine, waitMs: 2_000 });
      await send('renew', 'orders-secret', mine);
      await send('release', 'awaited', { ownerToken: bob });
      await send('release', 'inherited', { ownerToken: bob, heir: { ownerToken: heir, leaseMs: 5_000 } });
      await send('inspect', 'orders-secret');
      await send('list', 'orders-secret');
      await send('break', 'orders-secret', { fencingToken: 100, note: 'a note' });
    }
    const names = new Set<string>();
    for (const { _aws, service, operation, ...values } of lines()) {
      expect(service).toBe('blue');
      expect(Object.keys(routes)).toContain(operation);
      for (const [name, value] of Object.entries(values)) {
        names.add(name);
        expect(countedOperations[name as MetricName]).toContain(operation);
        expect([value].flat().every(Number.isFinite)).toBe(true);
      }
    }
    expect(names).toEqual(
      new Set(['Grants', 'Refusals', 'Waits', 'LeasesLost', 'HandOvers', 'Transfers', 'Breaks', 'StoreUnavailable']),
    );
    expectNoSecretIn(written, alice, bob, carol, heir, 'orders-secret', 'inherited', 'host-bob', 'host-a', 'mallory');
    expect(written.join('')).not.toMatch(/arn:|awaited|a note|request-1/);
  });
});
