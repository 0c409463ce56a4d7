import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type GraphWidgetProps,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { MetricName } from '../lambda/names.ts';
import { type Operation, routes } from '../sdk/wire/routes.ts';
import { functionMetrics } from './function-metrics.ts';
import { routeMetric, type routeMetricNames } from './route-metrics.ts';
import { tableLatencies } from './table-metrics.ts';
import type { Watched } from './watched.ts';

const period = Duration.minutes(1);
const sum = { statistic: 'Sum', period };
const operations = Object.keys(routes) as Operation[];

/** One page that answers: is it well, what do callers meet, how do the locks fare, and which part is the cause. */
export function createDashboard(scope: Construct, watched: Watched, alarms: readonly Alarm[]): void {
  new Dashboard(scope, 'Dashboard', {
    // Dashboards of all Regions share the account's names.
    dashboardName: `${watched.service}-${Stack.of(scope).region}`,
    defaultInterval: Duration.hours(3),
    widgets: [
      alarms.length > 0 ? [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 4 })] : [],
      apiRow(watched),
      latencyRow(watched),
      lockRow(watched),
      functionRow(watched),
      tableRow(watched),
    ],
  });
}

function apiRow({ api }: Watched): IWidget[] {
  const ofEach = (name: keyof typeof routeMetricNames, statistic: string) =>
    operations.map((operation) => routeMetric(api, name, operation, { statistic, period }));
  return row(
    { title: 'Requests by route', left: ofEach('latency', 'SampleCount'), stacked: true },
    { title: 'Answers of 5xx by route', left: ofEach('failures', 'Sum') },
    { title: 'Answers of 429 by route', left: ofEach('throttles', 'Sum') },
  );
}

function latencyRow({ api, service }: Watched): IWidget[] {
  const quantiles = (operation: Operation) =>
    ['p50', 'p99'].map((statistic) =>
      routeMetric(api, 'latency', operation, { statistic, period, label: `${operation} ${statistic}` }),
    );
  const waits = ['p50', 'p99'].flatMap((statistic) =>
    functionMetrics(service, 'Waits', { statistic, period, label: `wait ${statistic}` }),
  );
  return row(
    { title: 'try, renew, release (ms)', left: (['try', 'renew', 'release'] as const).flatMap(quantiles) },
    { title: 'acquire, and the waits in it (ms)', left: [...quantiles('acquire'), ...waits] },
    { title: 'inspect, list, break (ms)', left: (['inspect', 'list', 'break'] as const).flatMap(quantiles) },
  );
}

function lockRow({ service }: Watched): IWidget[] {
  const counts = (...names: MetricName[]) => names.flatMap((name) => functionMetrics(service, name, sum));
  const waits = functionMetrics(service, 'Waits', { statistic: 'SampleCount', period, label: 'Waits acquire' });
  return row(
    { title: 'Grants, refusals, waits', left: [...counts('Grants', 'Refusals'), ...waits] },
    { title: 'Hand-overs', left: counts('HandOvers', 'Transfers') },
    { title: 'Lost leases, full lines, breaks', left: counts('LeasesLost', 'FullLines', 'Breaks') },
    { title: 'Store unavailable, internal errors', left: counts('StoreUnavailable', 'InternalErrors') },
  );
}

function functionRow({ functions }: Watched): IWidget[] {
  const ofEach = (metric: (lambda: (typeof functions)['lease'], label: string) => IMetric) =>
    Object.entries(functions).map(([name, lambda]) => metric(lambda, name));
  return row(
    { title: 'Function errors', left: ofEach((lambda, label) => lambda.metricErrors({ period, label })) },
    { title: 'Function throttles', left: ofEach((lambda, label) => lambda.metricThrottles({ period, label })) },
    {
      title: 'Function concurrency, highest',
      left: ofEach((lambda, label) => lambda.metric('ConcurrentExecutions', { statistic: 'Maximum', period, label })),
    },
    {
      title: 'Function duration, p99 (ms)',
      left: ofEach((lambda, label) => lambda.metricDuration({ statistic: 'p99', period, label })),
    },
  );
}

function tableRow({ table }: Watched): IWidget[] {
  const ofTable = (metricName: string) => table.metric(metricName, { ...sum, label: metricName });
  return row(
    {
      title: 'Table units consumed',
      left: [ofTable('ConsumedReadCapacityUnits'), ofTable('ConsumedWriteCapacityUnits')],
    },
    { title: 'Table throttles', left: [ofTable('ReadThrottleEvents'), ofTable('WriteThrottleEvents')] },
    { title: 'Table latency (ms)', left: tableLatencies(table, { period }) },
  );
}

/** Graphs of equal width beside one another. */
function row(...graphs: GraphWidgetProps[]): IWidget[] {
  return graphs.map((graph) => new GraphWidget({ width: 24 / graphs.length, ...graph }));
}
