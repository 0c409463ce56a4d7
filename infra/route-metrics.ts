import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric, type MetricOptions, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { metricNamespace } from '../lambda/names.ts';
import { type Operation, routeKey, routes } from '../sdk/wire/routes.ts';

/** What is measured of each route. */
export const routeMetricNames = {
  /** Milliseconds from request to answer; its sample count is the number of requests. */
  latency: 'RouteLatency',
  /** Answers of 5xx, whoever gave them: function, gateway, or a function that had no room. */
  failures: 'RouteFailures',
  /** Answers of 429. */
  throttles: 'RouteThrottles',
} as const;

const dimensions = { ApiId: '$.apiId', Route: '$.routeKey' } as const;

/**
 * Makes the metrics of each route out of the access log.
 *
 * Not the gateway's own detailed metrics. Their dimension `Resource` is documented as the "resource path": if that is the
 * path asked for, every lock id would be six metrics to pay for, and the alarms would watch a route that has none. And
 * they are six for each route, of which three would be looked at.
 */
export function createRouteMetrics(scope: Construct, logGroup: ILogGroup): void {
  const { latency, failures, throttles } = routeMetricNames;
  const common = { logGroup, metricNamespace, dimensions };
  // Fields that a metric is made of must stand in the pattern. A request without a route has "-" for it.
  const routed = [FilterPattern.exists('$.apiId'), FilterPattern.stringValue('$.routeKey', '!=', '-')];
  const having = (field: string, comparison: '=' | '>=', value: number) =>
    FilterPattern.all(...routed, FilterPattern.numberValue(field, comparison, value));
  new MetricFilter(scope, latency, {
    ...common,
    filterPattern: having('$.responseLatencyMs', '>=', 0),
    metricName: latency,
    metricValue: '$.responseLatencyMs',
    unit: Unit.MILLISECONDS,
  });
  new MetricFilter(scope, failures, {
    ...common,
    filterPattern: having('$.status', '>=', 500),
    metricName: failures,
  });
  new MetricFilter(scope, throttles, {
    ...common,
    filterPattern: having('$.status', '=', 429),
    metricName: throttles,
  });
}

/** One metric of one route. */
export function routeMetric(
  api: Pick<IHttpApi, 'apiId'>,
  name: keyof typeof routeMetricNames,
  operation: Operation,
  options: MetricOptions,
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName: routeMetricNames[name],
    dimensionsMap: { ApiId: api.apiId, Route: routeKey(routes[operation]) },
    label: operation,
    ...options,
  });
}
