import { type IMetric, MathExpression, Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { countedOperations, type MetricName, metricDimensions, metricNamespace } from '../lambda/names.ts';
import type { Operation } from '../sdk/wire/routes.ts';

/** What the functions count under one name: one metric for each operation of which it is counted, or of these alone. */
export function functionMetrics(
  service: string,
  name: MetricName,
  options: MetricOptions,
  operations: readonly Operation[] = countedOperations[name],
): Metric[] {
  return operations.map(
    (operation) =>
      new Metric({
        namespace: metricNamespace,
        metricName: name,
        dimensionsMap: { [metricDimensions.service]: service, [metricDimensions.operation]: operation },
        label: `${name} ${operation}`,
        ...options,
      }),
  );
}

/** The sum of some metrics. One that has no data counts for nothing; with `+` it would leave the sum without any. */
export function sumOf(
  metrics: readonly IMetric[],
  { label, period }: Pick<MetricOptions, 'label' | 'period'>,
): IMetric {
  const [first, ...others] = metrics;
  if (first && others.length === 0) return first;
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({
    expression: `SUM([${Object.keys(usingMetrics).join(',')}])`,
    usingMetrics,
    ...(label !== undefined && { label }),
    ...(period !== undefined && { period }),
  });
}
