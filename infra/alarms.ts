import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { MetricName } from '../lambda/names.ts';
import { type Operation, routes } from '../sdk/wire/routes.ts';
import { functionMetrics, sumOf } from './function-metrics.ts';
import { routeMetric } from './route-metrics.ts';
import { tableErrors } from './table-metrics.ts';
import type { Watched } from './watched.ts';

const period = Duration.minutes(5);

/** When an alarm goes off: the metric is at the threshold or above in each of so many periods of five minutes. */
interface AlarmRule {
  readonly id: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods?: number;
  /** Of a handful of requests it is the slowest, one cold start: then it says nothing. */
  readonly isQuantile?: boolean;
  /** What it means, and why at this threshold. */
  readonly description: string;
}

/** Makes every alarm. One whose metric has no data is not in alarm: a lock service that nobody uses is well. */
export function createAlarms(scope: Construct, watched: Watched, topic: ITopic | undefined): Alarm[] {
  const rules = [...routeRules(watched), ...lockRules(watched), ...functionRules(watched), ...tableRules(watched)];
  return rules.map(({ id, metric, threshold, periods = 1, isQuantile = false, description }) => {
    const alarm = new Alarm(scope, `${id}Alarm`, {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...(isQuantile && { evaluateLowSampleCountPercentile: 'ignore' }),
      alarmDescription: description,
    });
    if (topic) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
    }
    return alarm;
  });
}

function routeRules({ api }: Watched): AlarmRule[] {
  const operations = Object.keys(routes) as Operation[];
  const sum = { statistic: 'Sum', period };
  return [
    ...operations.map((operation) => ({
      id: `${capitalized(operation)}Failures`,
      metric: routeMetric(api, 'failures', operation, sum),
      threshold: 5,
      description:
        `Answers of 5xx to ${operation}. The SDK repeats a request that failed, so a few harm nobody; ` +
        'five within five minutes are not chance.',
    })),
    // Not acquire: how long it takes is how long the lock was held.
    ...(['try', 'renew', 'release'] as const).map((operation) => ({
      id: `${capitalized(operation)}Latency`,
      metric: routeMetric(api, 'latency', operation, { statistic: 'p99', period }),
      threshold: 1_000,
      periods: 3,
      isQuantile: true,
      description:
        `p99 of ${operation}, milliseconds. Ordinarily tens; the SDK gives a renewal of the default lease 5 s. ` +
        'A second for a quarter of an hour is no cold start, and leaves time to act.',
    })),
    ...(['renew', 'release'] as const).map((operation) => ({
      id: `${capitalized(operation)}Throttled`,
      metric: routeMetric(api, 'throttles', operation, sum),
      threshold: 10,
      description:
        `Answers of 429 to ${operation}. The throttles are there to keep these requests ahead of those who wait: ` +
        'what reaches theirs is more use than was planned for, or one caller run wild.',
    })),
  ];
}

function lockRules({ service }: Watched): AlarmRule[] {
  const rule = (name: MetricName, threshold: number, description: string, operations?: Operation[]): AlarmRule => {
    const metrics = functionMetrics(service, name, { statistic: 'Sum', period }, operations);
    return { id: name, metric: sumOf(metrics, { label: name, period }), threshold, description };
  };
  return [
    rule(
      'StoreUnavailable',
      5,
      'Requests for which DynamoDB gave no answer in time, retries included. Clients repeat them: a few harm nobody.',
    ),
    rule(
      'InternalErrors',
      1,
      'Requests that failed for a fault of our own, or whose call DynamoDB refused. Never well.',
    ),
    // Not of releases: one that only makes sure that nothing is held is told the same.
    rule(
      'LeasesLost',
      10,
      'Renewals told that the caller does not hold the lock any more. A process that froze loses its few; ten within ' +
        'five minutes are holders that cannot renew in time.',
      ['renew'],
    ),
    {
      ...rule(
        'FullLines',
        1,
        'Acquisitions that found the line full. For a quarter of an hour: one lock is wanted by more than it can serve.',
      ),
      periods: 3,
    },
  ];
}

function functionRules({ functions }: Watched): AlarmRule[] {
  return Object.entries(functions).flatMap(([name, lambda]) => [
    {
      id: `${capitalized(name)}FunctionErrors`,
      metric: lambda.metricErrors({ period }),
      threshold: 1,
      description:
        `The ${name} function did not answer: a time-out, no memory left, or code that does not start. ` +
        'What goes wrong within a request, it answers itself.',
    },
    {
      id: `${capitalized(name)}FunctionThrottles`,
      metric: lambda.metricThrottles({ period }),
      threshold: 10,
      description:
        `Requests for which the ${name} function had no concurrency left; callers see 5xx and repeat. ` +
        'A burst may cause a few.',
    },
  ]);
}

function tableRules({ table }: Watched): AlarmRule[] {
  const throttled = (kind: 'Read' | 'Write'): AlarmRule => ({
    id: `Table${kind}Throttles`,
    metric: table.metric(`${kind}ThrottleEvents`, { statistic: 'Sum', period }),
    threshold: 10,
    description:
      `DynamoDB throttled ${kind.toLowerCase()}s of the table. The functions repeat a few; more is one lock that is ` +
      'used a thousand times a second, or a table that grows into its load.',
  });
  return [
    throttled('Read'),
    throttled('Write'),
    {
      id: 'TableErrors',
      metric: sumOf(tableErrors(table, { period }), { label: 'SystemErrors', period }),
      threshold: 5,
      description: 'DynamoDB answered that it failed (HTTP 500). The functions repeat; a few are ordinary.',
    },
  ];
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
