import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { WatchedTable } from './watched.ts';

/** What the functions call. DynamoDB counts errors and latency only by operation. */
const operations = ['GetItem', 'UpdateItem', 'Scan'] as const;

/** The errors of the table, one metric for each operation. */
export function tableErrors(table: WatchedTable, options: MetricOptions): Metric[] {
  return byOperation(table, 'SystemErrors', { statistic: 'Sum', ...options });
}

/** How long the table takes to answer, milliseconds, one metric for each operation. */
export function tableLatencies(table: WatchedTable, options: MetricOptions): Metric[] {
  return byOperation(table, 'SuccessfulRequestLatency', { statistic: 'Average', ...options });
}

function byOperation(table: WatchedTable, metricName: string, options: MetricOptions): Metric[] {
  return operations.map((Operation) =>
    table.metric(metricName, {
      dimensionsMap: { TableName: table.tableName, Operation },
      label: Operation,
      ...options,
    }),
  );
}
